import { sql } from '../../platform/database/sql.ts'

/** The text that the delivery `d` of the job `j` is sent. */
export const textOfDelivery = sql`
  case when j.is_personal
    then (select t.text from delivery_texts t where t.delivery_id = d.id)
    else j.text_content
  end`

/**
 * Condition that always holds. A trigger refuses a turn or a look-up for a personal job in a transaction that has not
 * tested it: see migrations/0042-personal-texts.sql.
 */
export const knowsPersonalTexts = sql`set_config('sendroom.knows_personal_texts', 'true', true) = 'true'`
