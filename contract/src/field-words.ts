/**
 * The English sentences of all validation errors, by translation key. Schemas use the keys as their messages. The web
 * app translates the key, and the server answers with the sentence. `{{name}}` stands for a number of `limits`.
 */
export const fieldWords = {
  'FIELD.INVALID': 'This value is not valid.',
  'LOGIN.USERNAME_REQUIRED': 'Enter your username.',
  'LOGIN.PASSWORD_REQUIRED': 'Enter your password.',
  'LOGIN.PASSWORD_WRONG': 'This is not your password.',
  'REGISTER.USERNAME_REQUIRED': 'Enter a username of {{usernameMin}} to {{usernameMax}} characters.',
  'REGISTER.EMAIL_REQUIRED': 'Enter your email address.',
  'REGISTER.EMAIL_INVALID': 'Enter a valid email address.',
  'REGISTER.PASSWORD_REQUIRED': 'Enter a password of {{passwordMin}} to {{passwordMax}} characters.',
  'REGISTER.REPASSWORD_REQUIRED': 'Repeat the password.',
  'REGISTER.PASSWORD_NOT_MATCH': 'The passwords do not match.',
  'USER_FORM.USERNAME_INVALID': 'Enter a username of {{usernameMin}} to {{usernameMax}} characters.',
  'USER_FORM.USERNAME_UNREADABLE': 'Remove invisible characters and double spaces from the username.',
  'USER_FORM.EMAIL_INVALID': 'Enter a valid email address of at most {{emailMax}} characters.',
  'USER_FORM.PASSWORD_INVALID': 'Enter a password of {{passwordMin}} to {{passwordMax}} characters.',
  'USER_FORM.ROLE_REQUIRED': 'Choose a role.',
  'PASSWORD.TOO_COMMON': 'This password is too common. Choose another one.',
  'PASSWORD.HAS_USERNAME': 'The password contains the username. Choose another one.',
  'OPT_OUT.PHONE_REQUIRED': 'Enter at least one phone number.',
  'OPT_OUT.PHONE_INVALID': 'Enter a phone number.',
  'OPT_OUT.NOTE_INVALID': 'Shorten the note to {{optOutNote}} characters.',
  'OPT_OUT.REASON_REQUIRED': 'Enter a reason of at most {{optOutNote}} characters.',
  'OPT_OUT.WORD_INVALID': 'Each word needs a letter, and at most {{optOutWord}} characters.',
  'OPT_OUT.WORDS_REQUIRED': 'Enter at least one word.',
  'OPT_OUT.WORDS_TOO_MANY': 'Enter at most {{optOutWords}} words.',
  'CHANGE_PASSWORD.PASSWORD_INVALID': 'Enter a password of {{passwordMin}} to {{passwordMax}} characters.',
  'CHANGE_PASSWORD.CONFIRM_REQUIRED': 'Repeat the password.',
  'CHANGE_PASSWORD.NOT_MATCH': 'The passwords do not match.',
  'MESSAGE.TEXT_REQUIRED': 'Enter the message text.',
  'MESSAGE.TEXT_TOO_LONG': 'The text can have {{messageText}} characters at most.',
  'MESSAGE.VARIABLE_UNKNOWN':
    'There is no variable {{variable}}. Choose one from the list beside the text, or put \\ before braces that are no variable.',
  'MESSAGE.VARIABLE_UNCLOSED':
    'Two braces close a variable, and they are missing after {{variable}}. Put \\ before braces that are no variable.',
  'MESSAGE.VARIABLE_FALLBACK':
    'Write what stands there for people without a value, after | in {{variable}}, without invisible signs.',
  'MESSAGE.GROUP_INVALID': 'Choose groups of this account that you can access.',
  'MESSAGE.INSTANCE_INVALID': 'Choose an account you can use.',
  'JOB.JOB_TYPE_REQUIRED': 'Choose groups or phone numbers.',
  'JOB.MESSAGE_REQUIRED': 'Choose a message.',
  'JOB.VARIABLES_IN_GROUPS':
    'Groups have no values for the variables in this text, such as {{variable}}. Choose people, or another message.',
  'JOB.FALLBACK_INVALID':
    'Write at most {{contactValue}} characters, without invisible signs and double braces.',
  'JOB.INSTANCE_REQUIRED': 'Choose an account.',
  'JOB.GROUP_REQUIRED': 'Choose at least one group.',
  'JOB.GROUP_INVALID': 'Choose groups of the chosen account.',
  'JOB.PHONE_REQUIRED': 'Enter at least one phone number.',
  'JOB.CONTACT_INVALID': 'Choose contacts that you see.',
  'JOB.LIST_INVALID': 'Choose lists that you may use.',
  'JOB.GROUP_SET_INVALID': 'Choose sets of groups of the chosen account that you may use.',
  'JOB.NOBODY_LEFT': 'Nobody is left to send to. Choose other people, or leave out fewer.',
  'JOB.RECIPIENTS_TOO_MANY': 'A job can have {{recipients}} recipients at most.',
  'JOB.TEST_PHONE_INVALID': 'Enter one phone number.',
  'JOB.SCHEDULED_AT_INVALID': 'Enter a valid date and time.',
  'ACCOUNT_FORM.NAME_INVALID': 'Enter a name of at most {{instanceName}} characters.',
  'ACCOUNT_FORM.WHATSAPP_INVALID': 'The number can have {{whatsAppNumber}} characters at most.',
  'ACCOUNT_FORM.TOKEN_INVALID': 'Enter a token of at most {{whapiToken}} characters.',
  'ACCOUNT_FORM.EXPIRY_INVALID': 'Enter a full date or leave this empty.',
  'ACCOUNT_FORM.PAUSE_INVALID': 'Enter 0 to {{pauseSeconds}} seconds, the smaller number first.',
  'ACCOUNT_FORM.CAP_INVALID': 'Enter a whole number from 0 (no limit) to {{dailyCap}}.',
  'ACCOUNT_FORM.QUARTER_INVALID': 'Enter a whole number from 0 (no limit) to {{perQuarterHour}}.',
  'ACCOUNT_FORM.HOURS_INVALID': 'Enter a whole number from 0 (no limit) to 24.',
  'ACCOUNT_FORM.DAYS_INVALID': 'Enter a whole number from 0 (no rest) to {{daysInARow}}.',
  'ACCOUNT_FORM.PERSON_CAP_INVALID': 'Enter a whole number from 0 (no limit) to {{personCap}}.',
  'ACCOUNT_FORM.PERSON_REST_INVALID': 'Enter a whole number from 0 (no rest) to {{personRestDays}}.',
  'ACCOUNT_FORM.QUIET_INVALID': 'Enter two different times, such as 22:00 and 07:00.',
  'ACCOUNT_FORM.TIME_ZONE_INVALID': 'This time zone is unknown. Choose another.',
  'QUOTAS.INVALID': 'Enter a whole number from 1 to {{quota}}.',
  'RETENTION.DAYS_INVALID':
    'Enter a whole number from {{receiptDays}} to {{retentionDays}}, or leave this empty.',
  'RECEIVER_FORM.NAME_INVALID': 'Enter a name of at most {{receiverName}} characters.',
  'RECEIVER_FORM.URL_INVALID':
    'Enter an address that begins with https:// and has at most {{receiverUrl}} characters, without a user name and without #.',
  'RECEIVER_FORM.URL_NOT_ENCRYPTED':
    'Enter an address that begins with https://, or allow addresses in your own network.',
  'RECEIVER_FORM.TOPICS_REQUIRED': 'Choose at least one kind of event.',
  'CONTACT_FORM.NAME_INVALID':
    'Enter a name of at most {{contactName}} characters, without line breaks, invisible signs and double braces.',
  'CONTACT_FORM.NOTE_TOO_LONG': 'The note can have {{contactNote}} characters at most.',
  'CONTACT_FORM.PHONE_INVALID': 'Enter a phone number with its country code, such as +84 901 234 567.',
  'CONTACT_FORM.PHONES_INVALID': 'Enter 1 to {{contactNumbers}} phone numbers.',
  'CONTACT_FORM.TAGS_INVALID':
    'Enter at most {{contactTags}} tags of 1 to {{tagName}} characters, without line breaks and invisible signs.',
  'CONTACT_FORM.VALUE_INVALID':
    'This value does not fit the field. A text can have {{contactValue}} characters, and no invisible signs and double braces.',
  'CONTACT_FORM.FIELD_UNKNOWN': 'This field does not exist.',
  'CONTACT_FIELD_FORM.KEY_INVALID':
    'Enter a key of at most {{contactFieldKey}} small letters, digits and underscores, the first a letter.',
  'CONTACT_FIELD_FORM.KEY_RESERVED': 'Every contact has a name without this field. Choose another key.',
  'CONTACT_FIELD_FORM.NAME_INVALID': 'Enter a name of at most {{contactFieldName}} characters.',
  'CONTACT_FIELD_FORM.CHOICES_INVALID':
    'Enter 1 to {{contactChoices}} different choices of at most {{contactValue}} characters. Only fields of this type have choices.',
  'LIST_FORM.NAME_INVALID': 'Enter a name of at most {{listName}} characters.',
  'GROUP_SET_FORM.NAME_INVALID': 'Enter a name of at most {{listName}} characters.',
  'GROUP_SET_FORM.TOO_MANY_GROUPS': 'Choose {{groupSetGroups}} groups at most.',
  'GROUP_SET_FORM.GROUP_INVALID': 'Choose groups of this account.',
  'IMPORT.CONSENT_REQUIRED':
    'Say in at most {{importConsent}} characters why these people may be written to, without invisible signs and double braces.',
  'IMPORT.COLUMNS_TWICE': 'Two columns have the same meaning. Choose one of them.',
  'IMPORT.COUNTRY_INVALID': 'Choose a country.',
  'IMPORT.LIST_INVALID': 'Choose a fixed list.',
  'ACCOUNT.PHONE_REQUIRED': 'Enter the phone number with its country code.',
} as const

export type FieldKey = keyof typeof fieldWords
