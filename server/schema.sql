-- The whole schema, for reading. Do not edit or run this file: `npm run schema` writes it from the migrations, which
-- say why things are as they are. Tables come first, then functions, both by name. The table `migrations` and the
-- objects of extensions are left out.

CREATE EXTENSION pg_trgm;

CREATE TABLE api_keys (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint NOT NULL,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  start text NOT NULL,
  rights text[] NOT NULL,
  instance_ids bigint[],
  addresses text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  last_used_address text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_token_hash_key UNIQUE (token_hash),
  CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_expires_at ON api_keys USING btree (expires_at);
CREATE INDEX api_keys_user ON api_keys USING btree (user_id);

CREATE TABLE audit_log (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT clock_now(),
  user_id bigint,
  user_name text NOT NULL,
  address text NOT NULL,
  action text NOT NULL,
  object_type text,
  object_id bigint,
  object_name text NOT NULL,
  details jsonb NOT NULL,
  search_text text GENERATED ALWAYS AS (unaccent_lower((((((((user_name || ' '::text) || object_name) || ' '::text) || address) || ' '::text) || COALESCE(details ->> 'text'::text, ''::text)) || ' '::text) || COALESCE(details ->> 'formerText'::text, ''::text))) STORED,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);
ALTER TABLE audit_log ALTER COLUMN search_text SET STATISTICS 400;
CREATE INDEX audit_log_action ON audit_log USING btree (action, at, id);
CREATE INDEX audit_log_at ON audit_log USING btree (at, id);
CREATE UNIQUE INDEX audit_log_job_created ON audit_log USING btree (object_id) WHERE action = 'job.create'::text;
CREATE UNIQUE INDEX audit_log_job_deleted ON audit_log USING btree (object_id) WHERE action = 'job.delete'::text;
CREATE UNIQUE INDEX audit_log_refusals ON audit_log USING btree (action, COALESCE(user_id, 0::bigint), (
CASE
    WHEN user_id IS NULL THEN address
    ELSE NULL::text
END), (details ->> 'hour'::text)) NULLS NOT DISTINCT WHERE action ~~ 'security.%'::text;
CREATE INDEX audit_log_search ON audit_log USING gin (search_text gin_trgm_ops);

CREATE TABLE backups (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  error text,
  CONSTRAINT backups_pkey PRIMARY KEY (id)
);

CREATE TABLE contact_fields (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  key text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  choices text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT contact_fields_pkey PRIMARY KEY (id),
  CONSTRAINT contact_fields_key UNIQUE (key),
  CONSTRAINT contact_fields_type_check CHECK (type = ANY (ARRAY['text'::text, 'number'::text, 'date'::text, 'yesNo'::text, 'choice'::text]))
);

CREATE TABLE contact_identities (
  kind text NOT NULL,
  value text NOT NULL,
  contact_id bigint NOT NULL,
  is_primary boolean NOT NULL DEFAULT false,
  whatsapp_phone text,
  used_at timestamptz,
  CONSTRAINT contact_identities_key PRIMARY KEY (kind, value),
  CONSTRAINT contact_identities_check CHECK (kind = 'phone'::text OR NOT is_primary),
  CONSTRAINT contact_identities_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE CASCADE,
  CONSTRAINT contact_identities_kind_check CHECK (kind = ANY (ARRAY['phone'::text, 'lid'::text]))
);
CREATE INDEX contact_identities_contact ON contact_identities USING btree (contact_id);
CREATE UNIQUE INDEX contact_identities_primary ON contact_identities USING btree (contact_id) WHERE is_primary;
CREATE INDEX contact_identities_whatsapp_phone ON contact_identities USING btree (whatsapp_phone) WHERE whatsapp_phone IS NOT NULL;
CREATE TRIGGER contact_identities_forgotten AFTER INSERT ON contact_identities REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION recall_forgotten();
CREATE TRIGGER contact_identities_opt_out AFTER INSERT ON contact_identities REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION opt_out_new_identities();

CREATE TABLE contact_tags (
  contact_id bigint NOT NULL,
  tag_id bigint NOT NULL,
  added_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT contact_tags_pkey PRIMARY KEY (contact_id, tag_id),
  CONSTRAINT contact_tags_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE CASCADE,
  CONSTRAINT contact_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE
);
CREATE INDEX contact_tags_tag ON contact_tags USING btree (tag_id, contact_id);

CREATE TABLE contact_values (
  contact_id bigint NOT NULL,
  field_id bigint NOT NULL,
  value text NOT NULL,
  CONSTRAINT contact_values_pkey PRIMARY KEY (contact_id, field_id),
  CONSTRAINT contact_values_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE CASCADE,
  CONSTRAINT contact_values_field_id_fkey FOREIGN KEY (field_id) REFERENCES contact_fields(id)
);
CREATE INDEX contact_values_field ON contact_values USING btree (field_id, value, contact_id);

CREATE TABLE contacts (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  note text NOT NULL DEFAULT ''::text,
  source text NOT NULL,
  source_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  version integer NOT NULL DEFAULT 1,
  numbers text NOT NULL,
  search_text text GENERATED ALWAYS AS (unaccent_lower(((((' '::text || name) || ' '::text) || numbers) || ' '::text) || note)) STORED,
  changed_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT contacts_pkey PRIMARY KEY (id)
);
ALTER TABLE contacts ALTER COLUMN search_text SET STATISTICS 400;
CREATE INDEX contacts_created_at ON contacts USING btree (created_at, id);
CREATE INDEX contacts_name ON contacts USING btree (name, id);
CREATE INDEX contacts_search ON contacts USING gin (search_text gin_trgm_ops);
CREATE TRIGGER contacts_count_gone AFTER DELETE ON contacts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_contacts();
CREATE TRIGGER contacts_count_new AFTER INSERT ON contacts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_contacts();

CREATE TABLE count_changes (
  owner text NOT NULL,
  counter text NOT NULL,
  n bigint NOT NULL
);

CREATE TABLE counts (
  owner text NOT NULL,
  counter text NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT counts_pkey PRIMARY KEY (owner, counter)
) WITH (fillfactor=70);

CREATE TABLE days_without_rows (
  instance_id bigint NOT NULL,
  day date NOT NULL,
  sent bigint NOT NULL,
  delivered bigint NOT NULL,
  read bigint NOT NULL,
  failed bigint NOT NULL
);

CREATE TABLE deliveries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_id bigint NOT NULL,
  instance_id bigint NOT NULL,
  group_id bigint,
  chat_id text NOT NULL,
  recipient_name text NOT NULL,
  status text NOT NULL DEFAULT 'queued'::text,
  attempt integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  intent uuid,
  intent_at timestamptz,
  provider_message_id text,
  sent_at timestamptz,
  reason jsonb,
  doubt_since timestamptz,
  next_look_at timestamptz,
  look_fails_since timestamptz,
  not_found_at timestamptz,
  doubts integer NOT NULL DEFAULT 0,
  delivered_at timestamptz,
  read_at timestamptz,
  delivered_members integer NOT NULL DEFAULT 0,
  read_members integer NOT NULL DEFAULT 0,
  ask_at timestamptz,
  contact_id bigint,
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT deliveries_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE,
  CONSTRAINT deliveries_recipient UNIQUE (job_id, chat_id),
  CONSTRAINT deliveries_status_check CHECK (status = ANY (ARRAY['queued'::text, 'sending'::text, 'doubt'::text, 'sent'::text, 'failed'::text, 'skipped'::text]))
) WITH (fillfactor=70);
CREATE INDEX deliveries_ask_at ON deliveries USING btree (instance_id, ask_at) WHERE ask_at IS NOT NULL;
CREATE INDEX deliveries_contact ON deliveries USING btree (contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX deliveries_doubt ON deliveries USING btree (instance_id, chat_id) WHERE doubt_since IS NOT NULL;
CREATE INDEX deliveries_group ON deliveries USING btree (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX deliveries_instance ON deliveries USING btree (instance_id, id);
CREATE INDEX deliveries_job ON deliveries USING btree (job_id, id);
CREATE INDEX deliveries_reason ON deliveries USING btree (job_id, id) WHERE reason IS NOT NULL;
CREATE INDEX deliveries_requeued ON deliveries USING btree (job_id, not_before) WHERE not_before > '1970-01-01 00:00:00+00'::timestamptz;
CREATE TRIGGER deliveries_count_deleted AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_deliveries();
CREATE TRIGGER deliveries_count_inserted AFTER INSERT ON deliveries FOR EACH ROW WHEN (new.status = ANY (ARRAY['sent'::text, 'failed'::text, 'skipped'::text])) EXECUTE FUNCTION count_inserted_delivery();
CREATE TRIGGER deliveries_count_updated AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_updated_deliveries();
CREATE TRIGGER deliveries_delete_mentions AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_mentions();
CREATE TRIGGER deliveries_delete_poll_results AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_poll_results();
CREATE TRIGGER deliveries_delete_texts AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_texts();
CREATE TRIGGER deliveries_keep_use_of_contacts AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_use_of_contacts();
CREATE TRIGGER deliveries_refuse_look_up BEFORE UPDATE OF next_look_at ON deliveries FOR EACH ROW WHEN (new.next_look_at > old.next_look_at AND current_setting('sendroom.knows_personal_texts'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_look_up();
CREATE TRIGGER deliveries_refuse_look_up_of_content BEFORE UPDATE OF next_look_at ON deliveries FOR EACH ROW WHEN (new.next_look_at > old.next_look_at AND current_setting('sendroom.knows_content'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_look_up_of_content();
CREATE TRIGGER deliveries_release_matches AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_matches();
CREATE TRIGGER deliveries_report AFTER UPDATE OF status, delivered_at, read_at ON deliveries FOR EACH ROW WHEN (old.status <> new.status AND (new.status = ANY (ARRAY['sent'::text, 'failed'::text])) OR old.delivered_at IS NULL AND new.delivered_at IS NOT NULL OR old.read_at IS NULL AND new.read_at IS NOT NULL) EXECUTE FUNCTION report_delivery();
CREATE TRIGGER deliveries_skip_opted_out BEFORE UPDATE OF status ON deliveries FOR EACH ROW WHEN (old.status = 'queued'::text AND new.status = 'sending'::text AND new.chat_id !~~ '%@g.us'::text) EXECUTE FUNCTION skip_opted_out();

CREATE TABLE delivery_changes (
  instance_id bigint NOT NULL,
  group_id bigint,
  sent_now bigint NOT NULL,
  day date,
  sent bigint NOT NULL,
  delivered bigint NOT NULL,
  read bigint NOT NULL,
  failed bigint NOT NULL
);

CREATE TABLE delivery_mentions (
  delivery_id bigint NOT NULL,
  members integer NOT NULL,
  reached integer NOT NULL,
  phones text[] NOT NULL,
  read_at timestamptz NOT NULL DEFAULT clock_now(),
  is_sent boolean NOT NULL DEFAULT false,
  CONSTRAINT delivery_mentions_pkey PRIMARY KEY (delivery_id)
);
CREATE INDEX delivery_mentions_with_phones ON delivery_mentions USING btree (read_at) WHERE phones <> '{}'::text[];

CREATE TABLE delivery_texts (
  delivery_id bigint NOT NULL,
  text text NOT NULL,
  CONSTRAINT delivery_texts_pkey PRIMARY KEY (delivery_id)
);

CREATE TABLE delivery_views (
  intent uuid NOT NULL,
  delivered bytea NOT NULL,
  read bytea NOT NULL,
  sent_at timestamptz NOT NULL,
  CONSTRAINT delivery_views_pkey PRIMARY KEY (intent)
) WITH (fillfactor=45);
CREATE INDEX delivery_views_sent_at ON delivery_views USING btree (sent_at);

CREATE TABLE disks (
  host text NOT NULL,
  total_bytes bigint NOT NULL,
  free_bytes bigint NOT NULL,
  is_low boolean NOT NULL,
  checked_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT disks_pkey PRIMARY KEY (host)
);

CREATE TABLE due_emails (
  user_id bigint NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  try_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT due_emails_pkey PRIMARY KEY (user_id),
  CONSTRAINT due_emails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

CREATE TABLE due_number_checks (
  instance_id bigint NOT NULL,
  phone text NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT clock_now(),
  asked_by_user_id bigint,
  CONSTRAINT due_number_checks_pkey PRIMARY KEY (instance_id, phone),
  CONSTRAINT due_number_checks_asked_by_user_id_fkey FOREIGN KEY (asked_by_user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT due_number_checks_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE INDEX due_number_checks_in_line ON due_number_checks USING btree (instance_id, asked_at);
CREATE INDEX due_number_checks_phone ON due_number_checks USING btree (phone);
CREATE INDEX due_number_checks_user ON due_number_checks USING btree (asked_by_user_id);

CREATE TABLE due_replies (
  instance_id bigint NOT NULL,
  phone text NOT NULL,
  said_at timestamptz NOT NULL,
  CONSTRAINT due_replies_pkey PRIMARY KEY (instance_id, phone),
  CONSTRAINT due_replies_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);

CREATE TABLE factor_rule (
  only_row boolean NOT NULL DEFAULT true,
  required_of text NOT NULL DEFAULT 'nobody'::text,
  since timestamptz,
  CONSTRAINT factor_rule_pkey PRIMARY KEY (only_row),
  CONSTRAINT factor_rule_only_row_check CHECK (only_row),
  CONSTRAINT factor_rule_required_of_check CHECK (required_of = ANY (ARRAY['nobody'::text, 'admins'::text, 'all'::text]))
);

CREATE TABLE factors (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint NOT NULL,
  secret_cipher bytea,
  next_cipher bytea,
  last_step bigint NOT NULL DEFAULT 0,
  CONSTRAINT factors_pkey PRIMARY KEY (id),
  CONSTRAINT factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT factors_user_id_key UNIQUE (user_id)
);

CREATE TABLE files (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  mime_type text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  seconds integer,
  width integer,
  height integer,
  kinds text[] NOT NULL,
  why_not text,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  unused_since timestamptz,
  user_id bigint,
  CONSTRAINT files_pkey PRIMARY KEY (id),
  CONSTRAINT files_height_check CHECK (height > 0),
  CONSTRAINT files_kinds_check CHECK (('document'::text = ANY (kinds)) AND kinds <@ ARRAY['video'::text, 'audio'::text, 'voice'::text, 'document'::text]),
  CONSTRAINT files_name_key UNIQUE (name),
  CONSTRAINT files_seconds_check CHECK (seconds > 0),
  CONSTRAINT files_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT files_size_check CHECK (size > 0),
  CONSTRAINT files_user_content UNIQUE (user_id, sha256) INCLUDE (size),
  CONSTRAINT files_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT files_width_check CHECK (width > 0)
);

CREATE TABLE forget_requests (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  phone text,
  identities text[] NOT NULL DEFAULT '{}'::text[],
  requested_by_user_name text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT clock_now(),
  unsettled integer NOT NULL DEFAULT 0,
  erased integer NOT NULL DEFAULT 0,
  done_at timestamptz,
  CONSTRAINT forget_requests_pkey PRIMARY KEY (id),
  CONSTRAINT forget_requests_done CHECK (done_at IS NULL OR phone IS NULL AND identities = '{}'::text[])
);
CREATE UNIQUE INDEX forget_requests_open ON forget_requests USING btree (phone) WHERE done_at IS NULL;

CREATE TABLE forgotten_opt_outs (
  hash bytea NOT NULL,
  instance_id bigint NOT NULL,
  said_at timestamptz NOT NULL,
  CONSTRAINT forgotten_opt_outs_pkey PRIMARY KEY (hash, instance_id)
);

CREATE TABLE group_mentions (
  instance_id bigint NOT NULL,
  chat_id text NOT NULL,
  day integer NOT NULL,
  delivery_id bigint NOT NULL,
  run integer NOT NULL,
  CONSTRAINT group_mentions_pkey PRIMARY KEY (instance_id, chat_id, day),
  CONSTRAINT group_mentions_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE INDEX group_mentions_day ON group_mentions USING btree (day);

CREATE TABLE group_set_groups (
  group_set_id bigint NOT NULL,
  group_id bigint NOT NULL,
  CONSTRAINT group_set_groups_pkey PRIMARY KEY (group_set_id, group_id),
  CONSTRAINT group_set_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  CONSTRAINT group_set_groups_group_set_id_fkey FOREIGN KEY (group_set_id) REFERENCES group_sets(id) ON DELETE CASCADE
);
CREATE INDEX group_set_groups_group ON group_set_groups USING btree (group_id);

CREATE TABLE group_set_users (
  group_set_id bigint NOT NULL,
  user_id bigint NOT NULL,
  CONSTRAINT group_set_users_pkey PRIMARY KEY (group_set_id, user_id),
  CONSTRAINT group_set_users_group_set_id_fkey FOREIGN KEY (group_set_id) REFERENCES group_sets(id) ON DELETE CASCADE,
  CONSTRAINT group_set_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX group_set_users_user ON group_set_users USING btree (user_id);

CREATE TABLE group_sets (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  instance_id bigint NOT NULL,
  name text NOT NULL,
  is_for_all boolean NOT NULL DEFAULT false,
  created_by_user_id bigint,
  created_by_user_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT group_sets_pkey PRIMARY KEY (id),
  CONSTRAINT group_sets_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT group_sets_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE INDEX group_sets_creator ON group_sets USING btree (created_by_user_id);
CREATE UNIQUE INDEX group_sets_name ON group_sets USING btree (instance_id, created_by_user_id, lower(name));
CREATE TRIGGER group_sets_notify_delete AFTER DELETE ON group_sets REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_group_sets();
CREATE TRIGGER group_sets_notify_insert AFTER INSERT ON group_sets REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_group_sets();
CREATE TRIGGER group_sets_notify_update AFTER UPDATE ON group_sets REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_group_sets();

CREATE TABLE groups (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  instance_id bigint NOT NULL,
  chat_id text NOT NULL,
  name text NOT NULL,
  participant_count integer NOT NULL DEFAULT 0,
  can_send boolean,
  last_sync_at timestamptz,
  missing_since timestamptz,
  left_at timestamptz,
  search_text text GENERATED ALWAYS AS (unaccent_lower(name)) STORED,
  next_slot integer NOT NULL DEFAULT 0,
  CONSTRAINT groups_pkey PRIMARY KEY (id),
  CONSTRAINT groups_chat UNIQUE (instance_id, chat_id),
  CONSTRAINT groups_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
ALTER TABLE groups ALTER COLUMN search_text SET STATISTICS 400;
CREATE INDEX groups_channels ON groups USING btree (name, id) WHERE chat_id ~~ '%@newsletter'::text;
CREATE INDEX groups_instance_name ON groups USING btree (instance_id, name, id);
CREATE INDEX groups_name ON groups USING btree (name, id);
CREATE INDEX groups_participant_count ON groups USING btree (participant_count, id);
CREATE INDEX groups_search ON groups USING gin (search_text gin_trgm_ops);
CREATE TRIGGER groups_count_gone AFTER DELETE ON groups REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_groups();
CREATE TRIGGER groups_count_moved AFTER UPDATE OF left_at ON groups FOR EACH ROW WHEN ((old.left_at IS NULL) <> (new.left_at IS NULL)) EXECUTE FUNCTION count_moved_group();
CREATE TRIGGER groups_count_new AFTER INSERT ON groups REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_groups();
CREATE TRIGGER groups_refuse_missing_channel BEFORE UPDATE OF missing_since ON groups FOR EACH ROW WHEN (new.chat_id ~~ '%@newsletter'::text AND new.missing_since IS NOT NULL AND current_setting('sendroom.knows_content'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_missing_channel();

CREATE TABLE heartbeat (
  only_row boolean NOT NULL DEFAULT true,
  beat bigint NOT NULL DEFAULT 0,
  beat_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  timeline text NOT NULL DEFAULT ''::text,
  era uuid NOT NULL DEFAULT gen_random_uuid(),
  history_complete_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  CONSTRAINT heartbeat_pkey PRIMARY KEY (only_row),
  CONSTRAINT heartbeat_only_row_check CHECK (only_row)
);

CREATE TABLE images (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  mime_type text NOT NULL,
  size integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  unused_since timestamptz,
  user_id bigint,
  CONSTRAINT images_pkey PRIMARY KEY (id),
  CONSTRAINT images_name_key UNIQUE (name),
  CONSTRAINT images_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL
);
CREATE INDEX images_user ON images USING btree (user_id) INCLUDE (size);

CREATE TABLE import_parts (
  import_id bigint NOT NULL,
  place integer NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT import_parts_pkey PRIMARY KEY (import_id, place),
  CONSTRAINT import_parts_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE
);

CREATE TABLE import_rows (
  import_id bigint NOT NULL,
  place integer NOT NULL,
  number integer NOT NULL,
  kind text,
  value text,
  name text,
  note text,
  tags text[],
  field_values jsonb,
  cells text[],
  outcome text,
  problem jsonb,
  contact_id bigint,
  before jsonb,
  tag_ids bigint[],
  is_listed boolean NOT NULL DEFAULT false,
  contact_version integer,
  undone text,
  CONSTRAINT import_rows_pkey PRIMARY KEY (import_id, place),
  CONSTRAINT import_rows_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE,
  CONSTRAINT import_rows_outcome_check CHECK (outcome = ANY (ARRAY['added'::text, 'changed'::text, 'unchanged'::text, 'twice'::text, 'refused'::text])),
  CONSTRAINT import_rows_undone_check CHECK (undone = ANY (ARRAY['removed'::text, 'kept'::text, 'gone'::text]))
);
CREATE INDEX import_rows_contact ON import_rows USING btree (contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE imports (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL,
  file_name text NOT NULL DEFAULT ''::text,
  instance_id bigint,
  group_ids bigint[] NOT NULL DEFAULT '{}'::bigint[],
  user_id bigint,
  user_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  status text NOT NULL,
  fault jsonb,
  reading jsonb,
  is_guess boolean NOT NULL DEFAULT false,
  header text[],
  known text,
  list_id bigint,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  consent text NOT NULL DEFAULT ''::text,
  started_by text NOT NULL DEFAULT ''::text,
  started_at timestamptz,
  ended_at timestamptz,
  undone_at timestamptz,
  cursor integer NOT NULL DEFAULT 0,
  rows integer,
  added integer NOT NULL DEFAULT 0,
  changed integer NOT NULL DEFAULT 0,
  unchanged integer NOT NULL DEFAULT 0,
  twice integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  removed integer NOT NULL DEFAULT 0,
  kept integer NOT NULL DEFAULT 0,
  gone integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  held_until timestamptz,
  lease uuid,
  due_at timestamptz NOT NULL DEFAULT clock_now(),
  tries integer NOT NULL DEFAULT 0,
  CONSTRAINT imports_pkey PRIMARY KEY (id),
  CONSTRAINT imports_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE SET NULL,
  CONSTRAINT imports_known_check CHECK (known = ANY (ARRAY['keep'::text, 'fill'::text, 'overwrite'::text])),
  CONSTRAINT imports_source_check CHECK (source = ANY (ARRAY['file'::text, 'addressBook'::text, 'groups'::text])),
  CONSTRAINT imports_started CHECK ((started_at IS NULL) = (status = ANY (ARRAY['uploading'::text, 'checking'::text, 'checked'::text]))),
  CONSTRAINT imports_status_check CHECK (status = ANY (ARRAY['uploading'::text, 'checking'::text, 'checked'::text, 'running'::text, 'done'::text, 'undoing'::text, 'undone'::text])),
  CONSTRAINT imports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL
);
CREATE INDEX imports_due ON imports USING btree (due_at) WHERE status = ANY (ARRAY['checking'::text, 'running'::text, 'undoing'::text]);
CREATE INDEX imports_instance ON imports USING btree (instance_id);
CREATE UNIQUE INDEX imports_one_at_a_time ON imports USING btree (user_id) WHERE status = ANY (ARRAY['running'::text, 'undoing'::text]);
CREATE INDEX imports_user ON imports USING btree (user_id, id);
CREATE INDEX imports_waiting ON imports USING btree (created_at) WHERE started_at IS NULL;

CREATE TABLE installation (
  id integer NOT NULL DEFAULT 1,
  secret_check bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  next_check bytea,
  number_key_cipher bytea,
  CONSTRAINT installation_pkey PRIMARY KEY (id),
  CONSTRAINT installation_id_check CHECK (id = 1)
);

CREATE TABLE instance_days (
  instance_id bigint NOT NULL,
  day date NOT NULL,
  sent bigint NOT NULL,
  delivered bigint NOT NULL,
  read bigint NOT NULL,
  failed bigint NOT NULL,
  CONSTRAINT instance_days_pkey PRIMARY KEY (instance_id, day)
) WITH (fillfactor=70);

CREATE TABLE instance_people (
  instance_id bigint NOT NULL,
  phone text NOT NULL,
  first_sent_at timestamptz,
  last_sent_at timestamptz[] NOT NULL DEFAULT '{}'::timestamptz[],
  replied_at timestamptz,
  CONSTRAINT instance_people_pkey PRIMARY KEY (instance_id, phone),
  CONSTRAINT instance_people_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE TRIGGER instance_people_are_known AFTER UPDATE OF first_sent_at, replied_at ON instance_people FOR EACH ROW WHEN (old.first_sent_at IS NULL AND old.replied_at IS NULL AND (new.first_sent_at IS NOT NULL OR new.replied_at IS NOT NULL)) EXECUTE FUNCTION bring_known_forward();
CREATE TRIGGER instance_people_are_new AFTER INSERT ON instance_people FOR EACH ROW WHEN (new.first_sent_at IS NOT NULL OR new.replied_at IS NOT NULL) EXECUTE FUNCTION bring_known_forward();

CREATE TABLE instances (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  whats_app_number text NOT NULL DEFAULT ''::text,
  token_cipher bytea NOT NULL,
  token_hash bytea NOT NULL,
  is_test boolean NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  expired_time timestamptz,
  status text NOT NULL DEFAULT 'Unknown'::text,
  status_seen_at timestamptz,
  status_asked_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  group_pause_from_ms integer NOT NULL DEFAULT 20000,
  group_pause_to_ms integer NOT NULL DEFAULT 30000,
  private_pause_from_ms integer NOT NULL DEFAULT 60000,
  private_pause_to_ms integer NOT NULL DEFAULT 90000,
  group_cap integer NOT NULL DEFAULT 0,
  private_cap integer NOT NULL DEFAULT 200,
  quiet_from time,
  quiet_to time,
  time_zone text NOT NULL DEFAULT 'Asia/Ho_Chi_Minh'::text,
  last_sync_at timestamptz,
  syncing_until timestamptz,
  sync_problem jsonb,
  groups_changed_at timestamptz,
  claim uuid,
  lease_until timestamptz,
  in_flight bigint,
  next_due_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  busy jsonb,
  busy_in_a_row integer NOT NULL DEFAULT 0,
  sent_by_hour jsonb NOT NULL DEFAULT '{}'::jsonb,
  failures_in_a_row integer NOT NULL DEFAULT 0,
  waiting jsonb,
  waiting_since timestamptz,
  try_again_at timestamptz,
  restricted_until timestamptz,
  webhook_base text,
  webhook_tried_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  next_ask_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  search_text text GENERATED ALWAYS AS (unaccent_lower((name || ' '::text) || whats_app_number)) STORED,
  version integer NOT NULL DEFAULT 1,
  checked_era uuid DEFAULT current_era(),
  history_check_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  last_intent_at timestamptz,
  busy_since timestamptz,
  sync_due_at timestamptz,
  sync_tries smallint NOT NULL DEFAULT 0,
  incoming_read_until timestamptz DEFAULT clock_now(),
  incoming_era uuid DEFAULT current_era(),
  incoming_check_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  private_slow_after integer NOT NULL DEFAULT 20,
  private_slow_pause_from_ms integer NOT NULL DEFAULT 90000,
  private_slow_pause_to_ms integer NOT NULL DEFAULT 120000,
  private_per_quarter integer NOT NULL DEFAULT 10,
  private_hours integer NOT NULL DEFAULT 6,
  private_days integer NOT NULL DEFAULT 3,
  person_cap integer NOT NULL DEFAULT 3,
  person_rest_days integer NOT NULL DEFAULT 0,
  new_people_cap integer NOT NULL DEFAULT 200,
  warm_up_step integer,
  warm_up_day integer,
  sent_by_day jsonb NOT NULL DEFAULT '{}'::jsonb,
  last_private_at timestamptz[] NOT NULL DEFAULT '{}'::timestamptz[],
  limits_read_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  new_people_left integer,
  new_people_until timestamptz,
  warned_until timestamptz,
  next_number_check_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  capped_until timestamptz,
  incoming_until timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  has_people_limits boolean NOT NULL GENERATED ALWAYS AS (private_slow_after > 0 OR private_per_quarter > 0 OR private_hours > 0 OR private_days > 0 OR person_cap > 0 OR person_rest_days > 0 OR new_people_cap > 0 OR warm_up_step IS NOT NULL OR new_people_left IS NOT NULL) STORED,
  approval text NOT NULL DEFAULT 'never'::text,
  approval_above integer NOT NULL DEFAULT 100,
  absent_since timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT instances_pkey PRIMARY KEY (id),
  CONSTRAINT instances_approval_above_check CHECK (approval_above > 0),
  CONSTRAINT instances_approval_check CHECK (approval = ANY (ARRAY['never'::text, 'above'::text, 'always'::text])),
  CONSTRAINT instances_time_zone CHECK (('2000-01-01 00:00:00+00'::timestamptz AT TIME ZONE time_zone) IS NOT NULL),
  CONSTRAINT instances_token UNIQUE (token_hash),
  CONSTRAINT instances_warm_up_step_check CHECK (warm_up_step = ANY (ARRAY[20, 50, 100, 200]))
) WITH (fillfactor=70);
CREATE INDEX instances_created_at ON instances USING btree (created_at, id);
CREATE INDEX instances_name ON instances USING btree (name, id);
CREATE INDEX instances_search ON instances USING gin (search_text gin_trgm_ops);
CREATE INDEX instances_sync_due ON instances USING btree (sync_due_at) WHERE sync_due_at IS NOT NULL;
CREATE TRIGGER instances_approval AFTER UPDATE OF approval, approval_above ON instances FOR EACH ROW WHEN ((old.approval IS DISTINCT FROM new.approval OR old.approval_above IS DISTINCT FROM new.approval_above) AND new.approval <> 'never'::text) EXECUTE FUNCTION review_waiting_jobs();
CREATE TRIGGER instances_forget_incoming BEFORE UPDATE ON instances FOR EACH ROW WHEN (old.waiting IS NOT NULL AND new.waiting IS NULL OR (old.status = 'Connected'::text) <> (new.status = 'Connected'::text) OR old.is_active <> new.is_active OR old.webhook_base IS DISTINCT FROM new.webhook_base OR old.token_hash <> new.token_hash) EXECUTE FUNCTION forget_incoming();
CREATE TRIGGER instances_keep_forgotten BEFORE DELETE ON instances FOR EACH ROW EXECUTE FUNCTION keep_forgotten();
CREATE TRIGGER instances_keep_opt_outs BEFORE DELETE ON instances FOR EACH ROW EXECUTE FUNCTION keep_opt_outs();
CREATE TRIGGER instances_note_absence BEFORE UPDATE OF status, is_active ON instances FOR EACH ROW WHEN (old.status = 'Connected'::text AND old.is_active AND NOT (new.status = 'Connected'::text AND new.is_active)) EXECUTE FUNCTION note_absence();
CREATE TRIGGER instances_notify AFTER INSERT OR DELETE ON instances FOR EACH ROW EXECUTE FUNCTION notify_instance();
CREATE TRIGGER instances_notify_end AFTER DELETE ON instances FOR EACH ROW EXECUTE FUNCTION notify_name();
CREATE TRIGGER instances_notify_limits AFTER UPDATE OF capped_until, warned_until, warm_up_step ON instances FOR EACH ROW WHEN (old.capped_until IS DISTINCT FROM new.capped_until OR old.warned_until IS DISTINCT FROM new.warned_until OR old.warm_up_step IS DISTINCT FROM new.warm_up_step) EXECUTE FUNCTION notify_instance();
CREATE TRIGGER instances_notify_name AFTER UPDATE OF name ON instances FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name) EXECUTE FUNCTION notify_name();
CREATE TRIGGER instances_notify_restricted AFTER UPDATE OF restricted_until ON instances FOR EACH ROW WHEN (old.restricted_until IS DISTINCT FROM new.restricted_until) EXECUTE FUNCTION notify_instance();
CREATE TRIGGER instances_notify_sync AFTER UPDATE OF syncing_until, last_sync_at, sync_problem ON instances FOR EACH ROW WHEN ((old.syncing_until > clock_now()) IS DISTINCT FROM (new.syncing_until > clock_now()) OR old.last_sync_at IS DISTINCT FROM new.last_sync_at OR old.sync_problem IS DISTINCT FROM new.sync_problem) EXECUTE FUNCTION notify_sync();
CREATE TRIGGER instances_notify_update AFTER UPDATE OF name, whats_app_number, is_active, expired_time, status, waiting ON instances FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.whats_app_number IS DISTINCT FROM new.whats_app_number OR old.is_active IS DISTINCT FROM new.is_active OR old.expired_time IS DISTINCT FROM new.expired_time OR old.status IS DISTINCT FROM new.status OR old.waiting IS DISTINCT FROM new.waiting) EXECUTE FUNCTION notify_instance();
CREATE TRIGGER instances_refuse_check_of_content BEFORE UPDATE OF checked_era ON instances FOR EACH ROW WHEN (new.checked_era IS NOT NULL AND new.checked_era IS DISTINCT FROM old.checked_era AND current_setting('sendroom.knows_content'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_check_of_content();

CREATE TABLE job_counts (
  job_id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_now(),
  sent integer NOT NULL,
  failed integer NOT NULL,
  skipped integer NOT NULL,
  unknown integer NOT NULL,
  delivered integer NOT NULL,
  read integer NOT NULL
);
CREATE INDEX job_counts_job ON job_counts USING btree (job_id);
CREATE INDEX job_counts_new ON job_counts USING btree (at, job_id) WHERE at > '1970-01-01 00:00:00+00'::timestamptz;

CREATE TABLE job_logs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  log_level text NOT NULL,
  reason jsonb NOT NULL,
  CONSTRAINT job_logs_pkey PRIMARY KEY (id),
  CONSTRAINT job_logs_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE,
  CONSTRAINT job_logs_log_level_check CHECK (log_level = ANY (ARRAY['Info'::text, 'Warning'::text, 'Error'::text]))
);
CREATE INDEX job_logs_job ON job_logs USING btree (job_id, id);

CREATE TABLE job_reviews (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_now(),
  what text NOT NULL,
  by_user_name text NOT NULL DEFAULT ''::text,
  words text NOT NULL DEFAULT ''::text,
  hash bytea,
  CONSTRAINT job_reviews_pkey PRIMARY KEY (id),
  CONSTRAINT job_reviews_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE,
  CONSTRAINT job_reviews_what_check CHECK (what = ANY (ARRAY['asked'::text, 'taken_back'::text, 'approved'::text, 'changes_asked'::text, 'overridden'::text, 'voided'::text, 'overdue'::text]))
);
CREATE INDEX job_reviews_job ON job_reviews USING btree (job_id, id);
CREATE INDEX job_reviews_new ON job_reviews USING btree (at) WHERE what = ANY (ARRAY['approved'::text, 'overridden'::text]);

CREATE TABLE jobs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_type text NOT NULL,
  message_id bigint,
  text_content text NOT NULL,
  image_id bigint,
  instance_id bigint NOT NULL,
  status text NOT NULL DEFAULT 'Pending'::text,
  paused_at timestamptz,
  resumed_at timestamptz,
  run integer NOT NULL DEFAULT 1,
  recipient_count integer NOT NULL,
  scheduled_at timestamptz,
  created_by_user_id bigint,
  created_by_user_name text NOT NULL,
  request_id uuid,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  started_at timestamptz,
  completed_at timestamptz,
  media_id text,
  last_turn_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  cursor bigint NOT NULL DEFAULT 0,
  log_line_count integer NOT NULL DEFAULT 0,
  settling boolean NOT NULL DEFAULT false,
  search_text text GENERATED ALWAYS AS (unaccent_lower(text_content)) STORED,
  failed_count integer NOT NULL DEFAULT 0,
  final_counts jsonb,
  has_deliveries boolean NOT NULL DEFAULT true,
  has_logs boolean NOT NULL DEFAULT true,
  has_failures boolean NOT NULL DEFAULT false,
  is_personal boolean NOT NULL DEFAULT false,
  new_people_count integer NOT NULL DEFAULT 0,
  name text NOT NULL DEFAULT ''::text,
  version integer NOT NULL DEFAULT 1,
  review text,
  review_hash bytea,
  approve_by timestamptz,
  edited_by_user_id bigint,
  edited_by_user_name text,
  is_test_send boolean NOT NULL DEFAULT false,
  file_id bigint,
  content jsonb,
  mentions_all boolean NOT NULL DEFAULT false,
  CONSTRAINT jobs_pkey PRIMARY KEY (id),
  CONSTRAINT jobs_content_has_file CHECK ((file_id IS NOT NULL) = COALESCE((content ->> 'kind'::text) = ANY (ARRAY['video'::text, 'document'::text, 'audio'::text, 'voice'::text]), false)) NOT VALID,
  CONSTRAINT jobs_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT jobs_file_id_fkey FOREIGN KEY (file_id) REFERENCES files(id),
  CONSTRAINT jobs_final CHECK (final_counts IS NULL OR (status = ANY (ARRAY['Completed'::text, 'Failed'::text, 'Cancelled'::text]))),
  CONSTRAINT jobs_image_id_fkey FOREIGN KEY (image_id) REFERENCES images(id),
  CONSTRAINT jobs_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT jobs_job_type_check CHECK (job_type = ANY (ARRAY['SendToGroups'::text, 'SendToUsers'::text])),
  CONSTRAINT jobs_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE SET NULL,
  CONSTRAINT jobs_one_content CHECK (content IS NULL OR image_id IS NULL) NOT VALID,
  CONSTRAINT jobs_review_check CHECK (review = ANY (ARRAY['in_review'::text, 'changes_asked'::text, 'taken_back'::text, 'approved'::text, 'overdue'::text])),
  CONSTRAINT jobs_status_check CHECK (status = ANY (ARRAY['Pending'::text, 'Running'::text, 'Completed'::text, 'Failed'::text, 'Cancelled'::text]))
) WITH (fillfactor=80);
ALTER TABLE jobs ALTER COLUMN search_text SET STATISTICS 400;
CREATE INDEX jobs_calendar ON jobs USING btree (COALESCE(started_at, scheduled_at, created_at), id) INCLUDE (instance_id, started_at, scheduled_at, created_at);
CREATE INDEX jobs_calendar_of_instance ON jobs USING btree (instance_id, COALESCE(started_at, scheduled_at, created_at), id) INCLUDE (started_at, scheduled_at, created_at);
CREATE INDEX jobs_created_at ON jobs USING btree (created_at, id);
CREATE INDEX jobs_due ON jobs USING btree (COALESCE(scheduled_at, '1970-01-01 00:00:00+00'::timestamptz)) WHERE status = 'Pending'::text;
CREATE INDEX jobs_failed ON jobs USING btree (completed_at) WHERE status = 'Failed'::text;
CREATE INDEX jobs_file ON jobs USING btree (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX jobs_image ON jobs USING btree (image_id);
CREATE INDEX jobs_in_review ON jobs USING btree (approve_by) WHERE status = 'Pending'::text AND review <> 'approved'::text;
CREATE INDEX jobs_instance ON jobs USING btree (instance_id, id);
CREATE INDEX jobs_live ON jobs USING btree (instance_id, id) WHERE (status = ANY (ARRAY['Pending'::text, 'Running'::text])) OR settling;
CREATE INDEX jobs_live_of_user ON jobs USING btree (created_by_user_id) INCLUDE (recipient_count) WHERE status = ANY (ARRAY['Pending'::text, 'Running'::text]);
CREATE INDEX jobs_media_of_user ON jobs USING btree (created_by_user_id, image_id, file_id) WHERE image_id IS NOT NULL OR file_id IS NOT NULL;
CREATE INDEX jobs_message ON jobs USING btree (message_id);
CREATE INDEX jobs_of_editor ON jobs USING btree (edited_by_user_id, instance_id) WHERE edited_by_user_id IS NOT NULL;
CREATE UNIQUE INDEX jobs_request ON jobs USING btree (created_by_user_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX jobs_scheduled_at ON jobs USING btree (scheduled_at, id);
CREATE INDEX jobs_search ON jobs USING gin (search_text gin_trgm_ops);
CREATE INDEX jobs_status ON jobs USING btree (status, id);
CREATE INDEX jobs_tests ON jobs USING btree (created_by_user_id, instance_id) WHERE is_test_send;
CREATE INDEX jobs_title ON jobs USING btree ("left"(text_content, 100), id);
CREATE INDEX jobs_type ON jobs USING btree (job_type, id);
CREATE INDEX jobs_with_deliveries ON jobs USING btree (completed_at) WHERE has_deliveries;
CREATE INDEX jobs_with_failures ON jobs USING btree (completed_at, instance_id) WHERE has_failures;
CREATE INDEX jobs_with_logs ON jobs USING btree (completed_at) WHERE has_logs;
CREATE CONSTRAINT TRIGGER jobs_approval AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.status = 'Pending'::text) EXECUTE FUNCTION review_changed_job();
CREATE CONSTRAINT TRIGGER jobs_approval_again AFTER UPDATE OF status, run, version, instance_id, recipient_count, scheduled_at, text_content, image_id, paused_at ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.status = 'Pending'::text AND (old.status IS DISTINCT FROM new.status OR old.run IS DISTINCT FROM new.run OR old.version IS DISTINCT FROM new.version OR old.instance_id IS DISTINCT FROM new.instance_id OR old.recipient_count IS DISTINCT FROM new.recipient_count OR old.scheduled_at IS DISTINCT FROM new.scheduled_at OR old.text_content IS DISTINCT FROM new.text_content OR old.image_id IS DISTINCT FROM new.image_id) OR new.status = 'Running'::text AND old.paused_at IS NOT NULL AND new.paused_at IS NULL) EXECUTE FUNCTION review_changed_job();
CREATE TRIGGER jobs_count_gone AFTER DELETE ON jobs REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
CREATE TRIGGER jobs_count_moved AFTER UPDATE OF status, instance_id ON jobs FOR EACH ROW WHEN (old.status <> new.status OR old.instance_id <> new.instance_id) EXECUTE FUNCTION count_moved_job();
CREATE TRIGGER jobs_count_new AFTER INSERT ON jobs REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
CREATE TRIGGER jobs_end_test_send BEFORE UPDATE OF version ON jobs FOR EACH ROW WHEN (old.is_test_send AND old.version <> new.version AND NOT old.review IS DISTINCT FROM new.review) EXECUTE FUNCTION end_test_send();
CREATE TRIGGER jobs_forget_review BEFORE UPDATE OF run ON jobs FOR EACH ROW WHEN (old.run <> new.run) EXECUTE FUNCTION forget_review();
CREATE TRIGGER jobs_forget_review_of_retry BEFORE UPDATE OF status ON jobs FOR EACH ROW WHEN ((old.status = ANY (ARRAY['Completed'::text, 'Failed'::text, 'Cancelled'::text])) AND new.status = 'Pending'::text AND new.review <> 'approved'::text) EXECUTE FUNCTION forget_review();
CREATE TRIGGER jobs_guard_start BEFORE UPDATE OF status ON jobs FOR EACH ROW WHEN (old.status = 'Pending'::text AND new.status = 'Running'::text) EXECUTE FUNCTION guard_start();
CREATE TRIGGER jobs_ignore_failed_count BEFORE UPDATE OF failed_count ON jobs FOR EACH ROW WHEN (current_setting('sendroom.adds_failures'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION ignore_failed_count();
CREATE TRIGGER jobs_keep_recipients BEFORE DELETE ON jobs FOR EACH ROW WHEN (old.started_at IS NOT NULL AND NOT old.is_test_send) EXECUTE FUNCTION keep_recent_recipients();
CREATE TRIGGER jobs_keep_recipients_of_run BEFORE UPDATE OF run ON jobs FOR EACH ROW WHEN (old.run <> new.run AND old.started_at IS NOT NULL AND NOT old.is_test_send) EXECUTE FUNCTION keep_recent_recipients();
CREATE TRIGGER jobs_keep_test BEFORE DELETE ON jobs FOR EACH ROW WHEN (old.started_at IS NOT NULL AND old.is_test_send) EXECUTE FUNCTION keep_recent_test();
CREATE TRIGGER jobs_keep_use_of_messages AFTER DELETE ON jobs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_use_of_messages();
CREATE TRIGGER jobs_mark_test_send BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION mark_test_send();
CREATE TRIGGER jobs_notify_delete AFTER DELETE ON jobs REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_jobs();
CREATE TRIGGER jobs_notify_insert AFTER INSERT ON jobs REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_jobs();
CREATE TRIGGER jobs_notify_moved AFTER UPDATE OF instance_id ON jobs FOR EACH ROW WHEN (old.instance_id <> new.instance_id) EXECUTE FUNCTION notify_former_account();
CREATE TRIGGER jobs_notify_update AFTER UPDATE OF status, paused_at, scheduled_at, version, review ON jobs FOR EACH ROW EXECUTE FUNCTION notify_job();
CREATE CONSTRAINT TRIGGER jobs_quota AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.status = 'Pending'::text) EXECUTE FUNCTION check_recipient_quotas();
CREATE CONSTRAINT TRIGGER jobs_quota_again AFTER UPDATE OF status, instance_id, recipient_count ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.status = 'Pending'::text AND ((old.status <> ALL (ARRAY['Pending'::text, 'Running'::text])) OR old.instance_id <> new.instance_id OR old.recipient_count < new.recipient_count)) EXECUTE FUNCTION check_recipient_quotas();
CREATE TRIGGER jobs_refuse_literal_variables BEFORE INSERT ON jobs FOR EACH ROW WHEN (NOT new.is_personal AND new.text_content ~~ '%{{%'::text) EXECUTE FUNCTION refuse_literal_variables();
CREATE TRIGGER jobs_refuse_lost_content BEFORE INSERT OR UPDATE OF message_id ON jobs FOR EACH ROW WHEN (new.content IS NULL AND new.message_id IS NOT NULL) EXECUTE FUNCTION refuse_lost_content();
CREATE TRIGGER jobs_refuse_mixed_content BEFORE UPDATE OF text_content, image_id ON jobs FOR EACH ROW WHEN (old.content IS NOT NULL AND (new.text_content <> old.text_content OR new.image_id IS NOT NULL) AND current_setting('sendroom.knows_content'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_mixed_content();
CREATE TRIGGER jobs_refuse_turn BEFORE UPDATE OF cursor ON jobs FOR EACH ROW WHEN (new.is_personal AND new.last_turn_at <> old.last_turn_at AND new.last_turn_at <> '1970-01-01 00:00:00+00'::timestamptz AND current_setting('sendroom.knows_personal_texts'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_turn();
CREATE TRIGGER jobs_refuse_turn_of_content BEFORE UPDATE OF cursor ON jobs FOR EACH ROW WHEN (new.content IS NOT NULL AND new.last_turn_at <> old.last_turn_at AND new.last_turn_at <> '1970-01-01 00:00:00+00'::timestamptz AND current_setting('sendroom.knows_content'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_turn();
CREATE TRIGGER jobs_refuse_turn_to_people BEFORE UPDATE OF cursor ON jobs FOR EACH ROW WHEN (new.job_type = 'SendToUsers'::text AND new.last_turn_at <> old.last_turn_at AND new.last_turn_at <> '1970-01-01 00:00:00+00'::timestamptz AND current_setting('sendroom.knows_limits'::text, true) IS DISTINCT FROM 'true'::text) EXECUTE FUNCTION refuse_turn_to_people();
CREATE TRIGGER jobs_report AFTER UPDATE OF status ON jobs FOR EACH ROW WHEN (old.status <> new.status) EXECUTE FUNCTION report_job();
CREATE TRIGGER jobs_report_new AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION report_job();

CREATE TABLE known_lids (
  lid text NOT NULL,
  phone text NOT NULL,
  is_test boolean NOT NULL DEFAULT false,
  CONSTRAINT known_lids_pkey PRIMARY KEY (lid)
);
CREATE INDEX known_lids_phone ON known_lids USING btree (phone);
CREATE TRIGGER known_lids_forgotten AFTER INSERT ON known_lids REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tie_forgotten_lids();
CREATE TRIGGER known_lids_opt_out AFTER INSERT ON known_lids REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION opt_out_new_lids();

CREATE TABLE list_contacts (
  list_id bigint NOT NULL,
  contact_id bigint NOT NULL,
  added_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT list_contacts_pkey PRIMARY KEY (list_id, contact_id),
  CONSTRAINT list_contacts_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE CASCADE,
  CONSTRAINT list_contacts_list_id_fkey FOREIGN KEY (list_id) REFERENCES lists(id) ON DELETE CASCADE
);
CREATE INDEX list_contacts_contact ON list_contacts USING btree (contact_id);
CREATE TRIGGER list_contacts_count_gone AFTER DELETE ON list_contacts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_listed();
CREATE TRIGGER list_contacts_count_new AFTER INSERT ON list_contacts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_listed();

CREATE TABLE list_users (
  list_id bigint NOT NULL,
  user_id bigint NOT NULL,
  CONSTRAINT list_users_pkey PRIMARY KEY (list_id, user_id),
  CONSTRAINT list_users_list_id_fkey FOREIGN KEY (list_id) REFERENCES lists(id) ON DELETE CASCADE,
  CONSTRAINT list_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX list_users_user ON list_users USING btree (user_id);

CREATE TABLE lists (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  kind text NOT NULL,
  filter jsonb,
  is_for_all boolean NOT NULL DEFAULT false,
  created_by_user_id bigint,
  created_by_user_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT lists_pkey PRIMARY KEY (id),
  CONSTRAINT lists_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT lists_filter CHECK ((kind = 'filter'::text) = (filter IS NOT NULL)),
  CONSTRAINT lists_kind_check CHECK (kind = ANY (ARRAY['fixed'::text, 'filter'::text]))
);
CREATE INDEX lists_creator ON lists USING btree (created_by_user_id);
CREATE UNIQUE INDEX lists_name ON lists USING btree (lower(name));
CREATE TRIGGER lists_notify AFTER INSERT OR DELETE OR UPDATE ON lists FOR EACH STATEMENT EXECUTE FUNCTION notify_lists();

CREATE TABLE manual_syncs (
  instance_id bigint NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_now(),
  count integer NOT NULL DEFAULT 1,
  CONSTRAINT manual_syncs_pkey PRIMARY KEY (instance_id),
  CONSTRAINT manual_syncs_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);

CREATE TABLE matched_messages (
  instance_id bigint NOT NULL,
  provider_message_id text NOT NULL,
  delivery_id bigint,
  released_at timestamptz,
  CONSTRAINT matched_messages_pkey PRIMARY KEY (instance_id, provider_message_id)
);
CREATE INDEX matched_messages_released ON matched_messages USING btree (released_at) WHERE released_at IS NOT NULL;

CREATE TABLE message_groups (
  message_id bigint NOT NULL,
  group_id bigint NOT NULL,
  CONSTRAINT message_groups_pkey PRIMARY KEY (message_id, group_id),
  CONSTRAINT message_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  CONSTRAINT message_groups_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE
);
CREATE INDEX message_groups_group ON message_groups USING btree (group_id);

CREATE TABLE messages (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  text_content text NOT NULL,
  image_id bigint,
  instance_id bigint,
  created_by_user_id bigint,
  created_by_user_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  search_text text GENERATED ALWAYS AS (unaccent_lower(text_content)) STORED,
  created_by_admin boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  has_variables boolean NOT NULL DEFAULT false,
  file_id bigint,
  content jsonb,
  edited_by_user_id bigint,
  changed_at timestamptz NOT NULL DEFAULT clock_now(),
  used_at timestamptz,
  CONSTRAINT messages_pkey PRIMARY KEY (id),
  CONSTRAINT messages_content_has_file CHECK ((file_id IS NOT NULL) = COALESCE((content ->> 'kind'::text) = ANY (ARRAY['video'::text, 'document'::text, 'audio'::text, 'voice'::text]), false)) NOT VALID,
  CONSTRAINT messages_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT messages_file_id_fkey FOREIGN KEY (file_id) REFERENCES files(id),
  CONSTRAINT messages_image_id_fkey FOREIGN KEY (image_id) REFERENCES images(id),
  CONSTRAINT messages_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT messages_one_content CHECK (content IS NULL OR image_id IS NULL) NOT VALID
);
ALTER TABLE messages ALTER COLUMN search_text SET STATISTICS 400;
CREATE INDEX messages_created_at ON messages USING btree (created_at, id);
CREATE INDEX messages_creator ON messages USING btree (created_by_user_id, id);
CREATE INDEX messages_creator_name ON messages USING btree (created_by_user_name, id);
CREATE INDEX messages_file ON messages USING btree (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX messages_image ON messages USING btree (image_id);
CREATE INDEX messages_instance ON messages USING btree (instance_id, id);
CREATE INDEX messages_search ON messages USING gin (search_text gin_trgm_ops);
CREATE INDEX messages_title ON messages USING btree ("left"(text_content, 100), id);
CREATE TRIGGER messages_change_series AFTER UPDATE OF text_content, image_id, content, file_id ON messages FOR EACH ROW WHEN (old.text_content IS DISTINCT FROM new.text_content OR old.image_id IS DISTINCT FROM new.image_id OR old.has_variables IS DISTINCT FROM new.has_variables OR old.content IS DISTINCT FROM new.content OR old.file_id IS DISTINCT FROM new.file_id) EXECUTE FUNCTION change_series_of_message();
CREATE TRIGGER messages_count_gone AFTER DELETE ON messages REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
CREATE TRIGGER messages_count_moved AFTER UPDATE OF instance_id, created_by_admin, created_by_user_id ON messages FOR EACH ROW WHEN (message_owner(old.instance_id, old.created_by_admin, old.created_by_user_id) <> message_owner(new.instance_id, new.created_by_admin, new.created_by_user_id)) EXECUTE FUNCTION count_moved_message();
CREATE TRIGGER messages_count_new AFTER INSERT ON messages REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
CREATE TRIGGER messages_notify_delete AFTER DELETE ON messages REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_messages();
CREATE TRIGGER messages_notify_insert AFTER INSERT ON messages REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_messages();
CREATE TRIGGER messages_notify_leave AFTER UPDATE ON messages REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_messages();
CREATE TRIGGER messages_notify_update AFTER UPDATE ON messages REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_messages();

CREATE TABLE notice_choices (
  user_id bigint NOT NULL,
  kind text NOT NULL,
  channels text[] NOT NULL,
  CONSTRAINT notice_choices_pkey PRIMARY KEY (user_id, kind),
  CONSTRAINT notice_choices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

CREATE TABLE notices (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint NOT NULL,
  trouble_id bigint NOT NULL,
  moment text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  in_bell boolean NOT NULL,
  read_at timestamptz,
  email_due boolean NOT NULL,
  CONSTRAINT notices_pkey PRIMARY KEY (id),
  CONSTRAINT notices_moment_check CHECK (moment = ANY (ARRAY['begin'::text, 'reminder'::text, 'end'::text])),
  CONSTRAINT notices_trouble_id_fkey FOREIGN KEY (trouble_id) REFERENCES troubles(id) ON DELETE CASCADE,
  CONSTRAINT notices_trouble_id_user_id_moment_key UNIQUE (trouble_id, user_id, moment),
  CONSTRAINT notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX notices_email_due ON notices USING btree (user_id) WHERE email_due;
CREATE INDEX notices_user ON notices USING btree (user_id, id);

CREATE TABLE number_checks (
  phone text NOT NULL,
  answer text NOT NULL,
  whatsapp_phone text,
  checked_at timestamptz NOT NULL DEFAULT clock_now(),
  is_test boolean NOT NULL DEFAULT false,
  CONSTRAINT number_checks_pkey PRIMARY KEY (phone),
  CONSTRAINT number_checks_answer_check CHECK (answer = ANY (ARRAY['yes'::text, 'no'::text, 'unknown'::text]))
);
CREATE INDEX number_checks_checked_at ON number_checks USING btree (checked_at);
CREATE INDEX number_checks_whatsapp_phone ON number_checks USING btree (whatsapp_phone) WHERE whatsapp_phone IS NOT NULL;
CREATE TRIGGER number_checks_forgotten AFTER INSERT OR UPDATE OF answer, whatsapp_phone ON number_checks FOR EACH ROW WHEN (new.answer = 'yes'::text AND NOT new.is_test AND new.whatsapp_phone IS NOT NULL) EXECUTE FUNCTION tie_forgotten_checked();
CREATE TRIGGER number_checks_opt_out AFTER INSERT OR UPDATE OF answer, whatsapp_phone ON number_checks FOR EACH ROW WHEN (new.answer = 'yes'::text AND NOT new.is_test) EXECUTE FUNCTION opt_out_checked_number();

CREATE TABLE opt_ins (
  instance_id bigint NOT NULL,
  provider_message_id text NOT NULL,
  phone text,
  lid text,
  said_at timestamptz NOT NULL,
  CONSTRAINT opt_ins_pkey PRIMARY KEY (instance_id, provider_message_id),
  CONSTRAINT opt_ins_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE INDEX opt_ins_lid ON opt_ins USING btree (lid, said_at) WHERE lid IS NOT NULL;
CREATE INDEX opt_ins_phone ON opt_ins USING btree (phone, said_at) WHERE phone IS NOT NULL;

CREATE TABLE opt_out_settings (
  only_row boolean NOT NULL DEFAULT true,
  is_for_all boolean NOT NULL DEFAULT true,
  words jsonb,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT opt_out_settings_pkey PRIMARY KEY (only_row),
  CONSTRAINT opt_out_settings_only_row_check CHECK (only_row)
);

CREATE TABLE opt_outs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  instance_id bigint,
  is_for_all boolean NOT NULL,
  source text NOT NULL,
  words text NOT NULL DEFAULT ''::text,
  provider_message_id text,
  said_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  created_by_user_name text,
  ended_at timestamptz,
  ended_by_user_name text,
  ended_reason text,
  phone text,
  lid text,
  search_text text GENERATED ALWAYS AS (unaccent_lower((((COALESCE(phone, ''::text) || ' '::text) || COALESCE(lid, ''::text)) || ' '::text) || words)) STORED,
  linked_to bigint,
  last_said_at timestamptz,
  CONSTRAINT opt_outs_pkey PRIMARY KEY (id),
  CONSTRAINT opt_outs_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE SET NULL,
  CONSTRAINT opt_outs_linked_to_fkey FOREIGN KEY (linked_to) REFERENCES opt_outs(id) ON DELETE SET NULL,
  CONSTRAINT opt_outs_message UNIQUE (instance_id, provider_message_id),
  CONSTRAINT opt_outs_source_check CHECK (source = ANY (ARRAY['message'::text, 'review'::text, 'form'::text, 'import'::text, 'api'::text, 'linked'::text, 'forgotten'::text])) NOT VALID
);
CREATE INDEX opt_outs_lid ON opt_outs USING btree (lid, said_at);
CREATE INDEX opt_outs_linked_to ON opt_outs USING btree (linked_to) WHERE linked_to IS NOT NULL;
CREATE INDEX opt_outs_phone ON opt_outs USING btree (phone, said_at);
CREATE INDEX opt_outs_said_at ON opt_outs USING btree (said_at, id);
CREATE INDEX opt_outs_search ON opt_outs USING gin (search_text gin_trgm_ops);
CREATE TRIGGER opt_outs_notify AFTER INSERT OR DELETE OR UPDATE ON opt_outs FOR EACH STATEMENT EXECUTE FUNCTION notify_opt_outs();

CREATE TABLE opted_out (
  kind text NOT NULL,
  value text NOT NULL,
  instance_id bigint,
  opt_out_id bigint NOT NULL,
  CONSTRAINT opted_out_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT opted_out_key UNIQUE NULLS NOT DISTINCT (kind, value, instance_id),
  CONSTRAINT opted_out_kind_check CHECK (kind = ANY (ARRAY['phone'::text, 'lid'::text])),
  CONSTRAINT opted_out_opt_out_id_fkey FOREIGN KEY (opt_out_id) REFERENCES opt_outs(id) ON DELETE CASCADE
);
CREATE INDEX opted_out_instance ON opted_out USING btree (instance_id) WHERE instance_id IS NOT NULL;
CREATE INDEX opted_out_of ON opted_out USING btree (opt_out_id);

CREATE TABLE other_viewers (
  group_id bigint NOT NULL,
  person_id text NOT NULL,
  slot integer NOT NULL,
  CONSTRAINT other_viewers_pkey PRIMARY KEY (group_id, person_id),
  CONSTRAINT other_viewers_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE
);

CREATE TABLE participants (
  group_id bigint NOT NULL,
  person_id text NOT NULL,
  rank text NOT NULL,
  name text,
  slot integer,
  CONSTRAINT participants_pkey PRIMARY KEY (group_id, person_id),
  CONSTRAINT participants_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  CONSTRAINT participants_rank_check CHECK (rank = ANY (ARRAY['member'::text, 'admin'::text, 'creator'::text]))
);
CREATE TRIGGER participants_count_gone AFTER DELETE ON participants REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_people();
CREATE TRIGGER participants_count_new AFTER INSERT ON participants REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_people();

CREATE TABLE people_counts (
  instances text NOT NULL,
  version bigint NOT NULL,
  people bigint NOT NULL,
  participants bigint NOT NULL,
  counted_at timestamptz NOT NULL,
  CONSTRAINT people_counts_pkey PRIMARY KEY (instances)
);

CREATE TABLE poll_results (
  instance_id bigint NOT NULL,
  provider_message_id text NOT NULL,
  delivery_id bigint,
  counts jsonb NOT NULL DEFAULT '{}'::jsonb,
  voters jsonb NOT NULL DEFAULT '{}'::jsonb,
  updated_at timestamptz,
  asked_at timestamptz,
  people integer,
  CONSTRAINT poll_results_pkey PRIMARY KEY (instance_id, provider_message_id),
  CONSTRAINT poll_results_people_check CHECK (people >= 0)
);
CREATE INDEX poll_results_asked ON poll_results USING btree (instance_id, asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX poll_results_delivery ON poll_results USING btree (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX poll_results_unmatched ON poll_results USING btree (updated_at) WHERE delivery_id IS NULL;

CREATE TABLE possible_opt_outs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  instance_id bigint NOT NULL,
  phone text,
  lid text,
  why text NOT NULL,
  words text NOT NULL,
  provider_message_id text NOT NULL,
  said_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  decided_at timestamptz,
  decided_by_user_name text,
  opt_out_id bigint,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT possible_opt_outs_pkey PRIMARY KEY (id),
  CONSTRAINT possible_opt_outs_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT possible_opt_outs_message UNIQUE (instance_id, provider_message_id),
  CONSTRAINT possible_opt_outs_opt_out_id_fkey FOREIGN KEY (opt_out_id) REFERENCES opt_outs(id) ON DELETE SET NULL,
  CONSTRAINT possible_opt_outs_why_check CHECK (why = ANY (ARRAY['no_accents'::text, 'contains'::text, 'complaint'::text, 'unknown_person'::text]))
);
CREATE INDEX possible_opt_outs_lid ON possible_opt_outs USING btree (lid) WHERE decided_at IS NULL;
CREATE INDEX possible_opt_outs_open ON possible_opt_outs USING btree (said_at, id) WHERE decided_at IS NULL;
CREATE INDEX possible_opt_outs_phone ON possible_opt_outs USING btree (phone) WHERE decided_at IS NULL;
CREATE TRIGGER possible_opt_outs_notify AFTER INSERT OR DELETE OR UPDATE ON possible_opt_outs FOR EACH STATEMENT EXECUTE FUNCTION notify_opt_outs();

CREATE TABLE provider_uploads (
  instance_id bigint NOT NULL,
  name text NOT NULL,
  media_id text NOT NULL,
  uploaded_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT provider_uploads_pkey PRIMARY KEY (instance_id, name),
  CONSTRAINT provider_uploads_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE INDEX provider_uploads_old ON provider_uploads USING btree (uploaded_at);

CREATE TABLE quotas (
  only_row boolean NOT NULL DEFAULT true,
  recipients_per_user integer NOT NULL DEFAULT 400000,
  recipients_per_instance integer NOT NULL DEFAULT 500000,
  syncs_per_day integer NOT NULL DEFAULT 20,
  searches_at_once integer NOT NULL DEFAULT 4,
  image_megabytes_per_user integer NOT NULL DEFAULT 5000,
  CONSTRAINT quotas_pkey PRIMARY KEY (only_row),
  CONSTRAINT quotas_image_megabytes_per_user_check CHECK (image_megabytes_per_user > 0),
  CONSTRAINT quotas_only_row_check CHECK (only_row),
  CONSTRAINT quotas_recipients_per_instance_check CHECK (recipients_per_instance > 0),
  CONSTRAINT quotas_recipients_per_user_check CHECK (recipients_per_user > 0),
  CONSTRAINT quotas_searches_at_once_check CHECK (searches_at_once > 0),
  CONSTRAINT quotas_syncs_per_day_check CHECK (syncs_per_day > 0)
);

CREATE TABLE receipt_batches (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  receipts text NOT NULL,
  receipt_count integer NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT receipt_batches_pkey PRIMARY KEY (id)
);

CREATE TABLE receipt_events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  instance_id bigint NOT NULL,
  provider_message_id text NOT NULL,
  state text NOT NULL,
  viewer text,
  detail text NOT NULL DEFAULT ''::text,
  happened_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_now(),
  try_at timestamptz NOT NULL DEFAULT clock_now(),
  tries integer NOT NULL DEFAULT 1,
  CONSTRAINT receipt_events_pkey PRIMARY KEY (id),
  CONSTRAINT receipt_events_state_check CHECK (state = ANY (ARRAY['delivered'::text, 'read'::text, 'failed'::text]))
);
CREATE INDEX receipt_events_due ON receipt_events USING btree (try_at, id);

CREATE TABLE receipts_set_aside (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  receipts text NOT NULL,
  reason text NOT NULL,
  received_at timestamptz NOT NULL,
  set_aside_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT receipts_set_aside_pkey PRIMARY KEY (id)
);

CREATE TABLE recent_recipients (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint NOT NULL,
  instance_id bigint NOT NULL,
  at timestamptz NOT NULL,
  recipients integer NOT NULL,
  is_test boolean NOT NULL DEFAULT false,
  CONSTRAINT recent_recipients_pkey PRIMARY KEY (id),
  CONSTRAINT recent_recipients_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT recent_recipients_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX recent_recipients_instance ON recent_recipients USING btree (instance_id);
CREATE INDEX recent_recipients_user ON recent_recipients USING btree (user_id, instance_id);

CREATE TABLE recovery_codes (
  code_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (code_hash),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX recovery_codes_user ON recovery_codes USING btree (user_id);

CREATE TABLE retention (
  only_row boolean NOT NULL DEFAULT true,
  delivery_days integer,
  log_days integer,
  receipt_days integer DEFAULT 7,
  message_days integer,
  message_cursor bigint NOT NULL DEFAULT 0,
  group_days integer,
  group_cursor bigint NOT NULL DEFAULT 0,
  contact_days integer,
  contact_cursor bigint NOT NULL DEFAULT 0,
  CONSTRAINT retention_pkey PRIMARY KEY (only_row),
  CONSTRAINT retention_contact_days_check CHECK (contact_days >= 30),
  CONSTRAINT retention_delivery_days_check CHECK (delivery_days >= 7),
  CONSTRAINT retention_group_days_check CHECK (group_days >= 30),
  CONSTRAINT retention_log_days_check CHECK (log_days >= 7),
  CONSTRAINT retention_message_days_check CHECK (message_days >= 30),
  CONSTRAINT retention_only_row_check CHECK (only_row),
  CONSTRAINT retention_receipt_days_check CHECK (receipt_days >= 7)
);

CREATE TABLE sent_to_groups (
  group_id bigint NOT NULL,
  instance_id bigint NOT NULL,
  sent bigint NOT NULL,
  CONSTRAINT sent_to_groups_pkey PRIMARY KEY (group_id)
);
CREATE INDEX sent_to_groups_instance ON sent_to_groups USING btree (instance_id, sent DESC, group_id);
CREATE INDEX sent_to_groups_most ON sent_to_groups USING btree (sent DESC, group_id);

CREATE TABLE sent_without_rows (
  instance_id bigint NOT NULL,
  group_id bigint,
  sent bigint NOT NULL
);

CREATE TABLE series (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  instance_id bigint NOT NULL,
  name text NOT NULL,
  job_type text NOT NULL,
  rule jsonb NOT NULL,
  quiet_days text[] NOT NULL DEFAULT '{}'::text[],
  quiet_policy text NOT NULL,
  overlap text NOT NULL,
  recipients jsonb NOT NULL,
  frozen jsonb,
  state text NOT NULL DEFAULT 'active'::text,
  paused_reason jsonb,
  author_id bigint,
  author_name text NOT NULL,
  next_position integer NOT NULL DEFAULT 0,
  failed_in_a_row integer NOT NULL DEFAULT 0,
  planned_until timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  approved_hash bytea,
  approved_recipients integer,
  approved_by_name text,
  approved_at timestamptz,
  changes_asked_version integer,
  changes_asked_by_name text,
  changes_asked_words text,
  changes_asked_at timestamptz,
  text_edited_by_user_id bigint,
  CONSTRAINT series_pkey PRIMARY KEY (id),
  CONSTRAINT series_approved_recipients_check CHECK (approved_recipients > 0),
  CONSTRAINT series_author_id_fkey FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT series_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT series_job_type_check CHECK (job_type = ANY (ARRAY['SendToGroups'::text, 'SendToUsers'::text])),
  CONSTRAINT series_overlap_check CHECK (overlap = ANY (ARRAY['skip'::text, 'wait'::text])),
  CONSTRAINT series_paused CHECK ((state = 'paused'::text) = (paused_reason IS NOT NULL)),
  CONSTRAINT series_quiet_policy_check CHECK (quiet_policy = ANY (ARRAY['move'::text, 'skip'::text])),
  CONSTRAINT series_state_check CHECK (state = ANY (ARRAY['active'::text, 'paused'::text, 'ended'::text]))
);
CREATE INDEX series_author ON series USING btree (author_id);
CREATE UNIQUE INDEX series_name ON series USING btree (instance_id, lower(name));
CREATE INDEX series_to_plan ON series USING btree (planned_until) WHERE state = 'active'::text;
CREATE TRIGGER series_move_runs AFTER UPDATE OF instance_id ON series FOR EACH ROW WHEN (old.instance_id <> new.instance_id) EXECUTE FUNCTION move_runs();
CREATE TRIGGER series_notify_delete AFTER DELETE ON series REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_series();
CREATE TRIGGER series_notify_insert AFTER INSERT ON series REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_series();
CREATE TRIGGER series_notify_update AFTER UPDATE ON series REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_series();

CREATE TABLE series_group_sets (
  series_id bigint NOT NULL,
  group_set_id bigint NOT NULL,
  CONSTRAINT series_group_sets_pkey PRIMARY KEY (series_id, group_set_id),
  CONSTRAINT series_group_sets_group_set_id_fkey FOREIGN KEY (group_set_id) REFERENCES group_sets(id),
  CONSTRAINT series_group_sets_series_id_fkey FOREIGN KEY (series_id) REFERENCES series(id) ON DELETE CASCADE
);
CREATE INDEX series_group_sets_set ON series_group_sets USING btree (group_set_id);

CREATE TABLE series_lists (
  series_id bigint NOT NULL,
  list_id bigint NOT NULL,
  is_excluded boolean NOT NULL,
  CONSTRAINT series_lists_pkey PRIMARY KEY (series_id, list_id, is_excluded),
  CONSTRAINT series_lists_list_id_fkey FOREIGN KEY (list_id) REFERENCES lists(id),
  CONSTRAINT series_lists_series_id_fkey FOREIGN KEY (series_id) REFERENCES series(id) ON DELETE CASCADE
);
CREATE INDEX series_lists_list ON series_lists USING btree (list_id);

CREATE TABLE series_messages (
  series_id bigint NOT NULL,
  "position" integer NOT NULL,
  message_id bigint NOT NULL,
  CONSTRAINT series_messages_pkey PRIMARY KEY (series_id, "position"),
  CONSTRAINT series_messages_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id),
  CONSTRAINT series_messages_position_check CHECK ("position" >= 0 AND "position" <= 49),
  CONSTRAINT series_messages_series_id_fkey FOREIGN KEY (series_id) REFERENCES series(id) ON DELETE CASCADE
);
CREATE INDEX series_messages_message ON series_messages USING btree (message_id);

CREATE TABLE series_runs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  series_id bigint NOT NULL,
  local_time text NOT NULL,
  number integer NOT NULL,
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'planned'::text,
  reason jsonb,
  job_id bigint,
  outcome text,
  instance_id bigint,
  message_id bigint,
  message_by_user_id bigint,
  approved_message bytea,
  CONSTRAINT series_runs_pkey PRIMARY KEY (id),
  CONSTRAINT series_runs_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE SET NULL,
  CONSTRAINT series_runs_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id),
  CONSTRAINT series_runs_once UNIQUE (series_id, local_time),
  CONSTRAINT series_runs_outcome CHECK (outcome IS NULL OR state = 'made'::text),
  CONSTRAINT series_runs_outcome_check CHECK (outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text, 'deleted'::text])),
  CONSTRAINT series_runs_series_id_fkey FOREIGN KEY (series_id) REFERENCES series(id) ON DELETE CASCADE,
  CONSTRAINT series_runs_state_check CHECK (state = ANY (ARRAY['planned'::text, 'waiting'::text, 'made'::text, 'missed'::text, 'skipped'::text, 'failed'::text]))
);
CREATE INDEX series_runs_calendar ON series_runs USING btree (due_at, id) INCLUDE (instance_id) WHERE state <> 'made'::text;
CREATE INDEX series_runs_calendar_of_instance ON series_runs USING btree (instance_id, due_at, id) WHERE state <> 'made'::text;
CREATE INDEX series_runs_due ON series_runs USING btree (due_at) WHERE state = 'planned'::text;
CREATE UNIQUE INDEX series_runs_job ON series_runs USING btree (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX series_runs_message ON series_runs USING btree (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX series_runs_missed ON series_runs USING btree (due_at) WHERE state = 'missed'::text;
CREATE INDEX series_runs_next ON series_runs USING btree (series_id, due_at) WHERE state = ANY (ARRAY['planned'::text, 'waiting'::text]);
CREATE INDEX series_runs_of_series ON series_runs USING btree (series_id, due_at, id);
CREATE INDEX series_runs_old ON series_runs USING btree (due_at) WHERE state <> ALL (ARRAY['planned'::text, 'waiting'::text]);
CREATE INDEX series_runs_open ON series_runs USING btree (series_id) WHERE state = 'made'::text AND outcome IS NULL;
CREATE INDEX series_runs_own_message ON series_runs USING btree (series_id) WHERE message_id IS NOT NULL;
CREATE INDEX series_runs_waiting ON series_runs USING btree (series_id) WHERE state = 'waiting'::text;
CREATE TRIGGER series_runs_account BEFORE INSERT ON series_runs FOR EACH ROW EXECUTE FUNCTION set_account_of_run();
CREATE TRIGGER series_runs_let_message_go BEFORE UPDATE OF state ON series_runs FOR EACH ROW WHEN (new.message_id IS NOT NULL AND (new.state <> ALL (ARRAY['planned'::text, 'waiting'::text]))) EXECUTE FUNCTION let_message_of_run_go();
CREATE TRIGGER series_runs_notify AFTER UPDATE ON series_runs REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION notify_series_runs();

CREATE TABLE sessions (
  token_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  expires_at timestamptz NOT NULL,
  confirmed_at timestamptz NOT NULL DEFAULT clock_now(),
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  ends_at timestamptz,
  used_at timestamptz NOT NULL DEFAULT clock_now(),
  address text NOT NULL DEFAULT ''::text,
  browser text NOT NULL DEFAULT ''::text,
  former_hash bytea,
  former_until timestamptz,
  idle_at timestamptz,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_expires_at ON sessions USING btree (expires_at);
CREATE INDEX sessions_former_hash ON sessions USING btree (former_hash) WHERE former_hash IS NOT NULL;
CREATE INDEX sessions_token_hash ON sessions USING btree (token_hash);
CREATE INDEX sessions_user ON sessions USING btree (user_id);
CREATE TRIGGER sessions_notify AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_access('user_id');

CREATE TABLE sign_in_devices (
  user_id bigint NOT NULL,
  newest integer NOT NULL,
  CONSTRAINT sign_in_devices_pkey PRIMARY KEY (user_id),
  CONSTRAINT sign_in_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

CREATE TABLE sign_in_failures (
  key bytea NOT NULL,
  failures integer NOT NULL,
  since timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (key)
);

CREATE TABLE sign_in_tickets (
  ticket_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT sign_in_tickets_pkey PRIMARY KEY (ticket_hash),
  CONSTRAINT sign_in_tickets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_tickets_user ON sign_in_tickets USING btree (user_id);

CREATE TABLE tags (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  CONSTRAINT tags_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX tags_name ON tags USING btree (lower(name));

CREATE TABLE troubles (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  instance_id bigint NOT NULL DEFAULT 0,
  job_id bigint NOT NULL DEFAULT 0,
  host text NOT NULL DEFAULT ''::text,
  reason jsonb,
  began_at timestamptz NOT NULL DEFAULT clock_now(),
  announced_at timestamptz,
  reminded_at timestamptz,
  gone_at timestamptz,
  ended_at timestamptz,
  relapses integer NOT NULL DEFAULT 0,
  CONSTRAINT troubles_pkey PRIMARY KEY (id),
  CONSTRAINT troubles_kind_check CHECK (kind = ANY (ARRAY['account_down'::text, 'account_expiring'::text, 'job_failed'::text, 'job_stuck'::text, 'approval_waiting'::text, 'approval_given'::text, 'changes_asked'::text, 'approval_overdue'::text, 'approval_overridden'::text, 'series_approval'::text, 'series_paused'::text, 'series_missed'::text, 'backup_failed'::text, 'disk_low'::text, 'key_expiring'::text, 'new_browser'::text, 'sign_in_changed'::text]))
);
CREATE INDEX troubles_ended ON troubles USING btree (kind, instance_id, job_id, host, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX troubles_ended_at ON troubles USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX troubles_open ON troubles USING btree (kind, instance_id, job_id, host) WHERE ended_at IS NULL;
CREATE TRIGGER troubles_report AFTER UPDATE OF announced_at, ended_at ON troubles FOR EACH ROW WHEN (old.announced_at IS NULL AND new.announced_at IS NOT NULL OR old.ended_at IS NULL AND new.ended_at IS NOT NULL) EXECUTE FUNCTION report_trouble();

CREATE TABLE user_instances (
  user_id bigint NOT NULL,
  instance_id bigint NOT NULL,
  CONSTRAINT user_instances_pkey PRIMARY KEY (user_id, instance_id),
  CONSTRAINT user_instances_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE,
  CONSTRAINT user_instances_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_instances_instance ON user_instances USING btree (instance_id);
CREATE TRIGGER user_instances_notify AFTER INSERT OR DELETE ON user_instances FOR EACH ROW EXECUTE FUNCTION notify_access('user_id');

CREATE TABLE users (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  username text NOT NULL,
  email text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  is_active boolean NOT NULL,
  can_send_messages boolean NOT NULL DEFAULT true,
  can_create_jobs boolean NOT NULL DEFAULT true,
  is_waiting boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  search_text text GENERATED ALWAYS AS (unaccent_lower((username || ' '::text) || email)) STORED,
  can_link_accounts boolean NOT NULL DEFAULT true,
  can_export_participants boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  language text NOT NULL DEFAULT 'en'::text,
  registered_from bytea,
  generated_hash text,
  can_manage_contacts boolean NOT NULL DEFAULT false,
  can_use_contacts boolean NOT NULL DEFAULT false,
  can_approve_jobs boolean NOT NULL DEFAULT false,
  can_mention_all boolean NOT NULL DEFAULT false,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_language_check CHECK (language = ANY (ARRAY['vi'::text, 'en'::text, 'cn'::text])),
  CONSTRAINT users_role_check CHECK (role = ANY (ARRAY['Admin'::text, 'Member'::text]))
);
CREATE INDEX users_created_at ON users USING btree (created_at, id);
CREATE UNIQUE INDEX users_email ON users USING btree (lower(email));
CREATE INDEX users_search ON users USING gin (search_text gin_trgm_ops);
CREATE UNIQUE INDEX users_username ON users USING btree (lower(username));
CREATE TRIGGER users_delete_api_keys AFTER UPDATE OF is_active ON users FOR EACH ROW WHEN (old.is_active AND NOT new.is_active) EXECUTE FUNCTION delete_api_keys();
CREATE TRIGGER users_end_tickets AFTER UPDATE OF password_hash, is_active ON users FOR EACH ROW WHEN (old.password_hash IS DISTINCT FROM new.password_hash OR NOT new.is_active) EXECUTE FUNCTION delete_sign_in_tickets();
CREATE TRIGGER users_notify AFTER UPDATE OF role, is_active ON users FOR EACH ROW WHEN (old.role IS DISTINCT FROM new.role OR old.is_active IS DISTINCT FROM new.is_active) EXECUTE FUNCTION notify_access('id');

CREATE TABLE webhook_attempts (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  receiver_id bigint NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_now(),
  duration_ms integer NOT NULL,
  has_arrived boolean NOT NULL,
  status integer,
  error text,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_attempts_receiver_id_fkey FOREIGN KEY (receiver_id) REFERENCES webhook_receivers(id) ON DELETE CASCADE
);
CREATE INDEX webhook_attempts_receiver ON webhook_attempts USING btree (receiver_id, has_arrived, id);

CREATE TABLE webhook_events (
  sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_now(),
  data json NOT NULL,
  CONSTRAINT webhook_events_pkey PRIMARY KEY (sequence)
);

CREATE TABLE webhook_queue (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  receiver_id bigint NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  queued_at timestamptz NOT NULL DEFAULT clock_now(),
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT clock_now(),
  CONSTRAINT webhook_queue_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_queue_receiver_id_event_id_key UNIQUE (receiver_id, event_id),
  CONSTRAINT webhook_queue_receiver_id_fkey FOREIGN KEY (receiver_id) REFERENCES webhook_receivers(id) ON DELETE CASCADE
);
CREATE INDEX webhook_queue_dropped ON webhook_queue USING btree (receiver_id) WHERE type = 'events_dropped'::text;
CREATE INDEX webhook_queue_due ON webhook_queue USING btree (receiver_id, due_at);
CREATE INDEX webhook_queue_queued_at ON webhook_queue USING btree (queued_at);

CREATE TABLE webhook_receivers (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  url text NOT NULL,
  secret_cipher bytea NOT NULL,
  topics text[] NOT NULL,
  is_active boolean NOT NULL,
  allows_own_network boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  failures integer NOT NULL DEFAULT 0,
  try_at timestamptz NOT NULL DEFAULT clock_now(),
  dropped bigint NOT NULL DEFAULT 0,
  url_cipher bytea,
  CONSTRAINT webhook_receivers_pkey PRIMARY KEY (id)
);

CREATE OR REPLACE FUNCTION add_failures(of_job bigint, n bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('sendroom.adds_failures', 'true', true);
  update jobs set failed_count = failed_count + n, has_failures = failed_count + n > 0 where id = of_job;
  perform set_config('sendroom.adds_failures', '', true);
end $function$;

CREATE OR REPLACE FUNCTION approval_deadline(j jobs)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select j.scheduled_at
  where j.scheduled_at > clock_now() or (j.run = 1 and j.started_at is null and not exists (
    select from deliveries d where d.job_id = j.id and d.status not in ('queued', 'skipped')))
$function$;

CREATE OR REPLACE FUNCTION ask_approval(j jobs)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  hash bytea := job_content_hash(j.id);
begin
  update jobs set status = 'Pending', review = 'in_review', review_hash = hash, approve_by = approval_deadline(j)
  where id = j.id;
  insert into job_reviews (job_id, what, by_user_name, hash)
  values (j.id, 'asked', coalesce(j.edited_by_user_name, j.created_by_user_name), hash);
end $function$;

CREATE OR REPLACE FUNCTION bring_known_forward()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update deliveries d set not_before = timestamptz 'epoch' + interval '1 second'
  from jobs j
  where j.instance_id = new.instance_id and (j.status in ('Pending', 'Running') or j.settling)
    and j.status in ('Pending', 'Running') and j.job_type = 'SendToUsers'
    and d.job_id = j.id and d.chat_id = new.phone || '@s.whatsapp.net'
    and d.status = 'queued' and d.not_before = 'epoch';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION cap_free_at(usage jsonb, kind text, cap integer, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when cap > 0 then cap_free_at_if_set(usage, kind, cap, moment) end
$function$;

CREATE OR REPLACE FUNCTION cap_free_at_if_set(usage jsonb, kind text, cap integer, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select to_timestamp(min(hour + 25) * 3600)
  from (
    select hour, sum(n) over () as used, sum(n) over () - sum(n) over (order by hour) as used_then
    from (select substr(key, 2)::bigint as hour, value::int as n from jsonb_each_text(usage)
          where left(key, 1) = kind and substr(key, 2)::bigint >= hour_of(moment) - 24) b
  ) w
  where cap > 0 and used >= cap and used_then < cap
$function$;

CREATE OR REPLACE FUNCTION change_series_of_message()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update series s set version = version + 1, text_edited_by_user_id = new.edited_by_user_id
  where s.state <> 'ended' and s.id in (
    select m.series_id from series_messages m where m.message_id = new.id
    union all
    select r.series_id from series_runs r where r.message_id = new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION chat_kind(job_type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case job_type when 'SendToGroups' then 'g' else 'p' end
$function$;

CREATE OR REPLACE FUNCTION check_recipient_quotas()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  quota quotas;
  checked text := format('%s/%s', new.created_by_user_id, new.instance_id);
begin
  -- All of a transaction's rows are there when the first of these triggers runs, so many jobs at once are counted once.
  if current_setting('sendroom.checked_quotas', true) = checked then
    return null;
  end if;
  perform set_config('sendroom.checked_quotas', checked, true);
  select * into quota from quotas;
  -- Always in this order, so that two that wait for each other don't deadlock.
  if new.created_by_user_id is not null then
    perform pg_advisory_xact_lock(29001, hashint8(new.created_by_user_id));
    if recipients_of_user(new.created_by_user_id) > quota.recipients_per_user then
      raise exception 'quota_recipients_user' using errcode = 'SRQTA', detail = quota.recipients_per_user;
    end if;
  end if;
  perform pg_advisory_xact_lock(29002, hashint8(new.instance_id));
  if (select sum(recipient_count) from jobs
      where instance_id = new.instance_id and status in ('Pending', 'Running')) > quota.recipients_per_instance then
    raise exception 'quota_recipients_account' using errcode = 'SRQTA', detail = quota.recipients_per_instance;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION clock_now()
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$select now()$function$;

CREATE OR REPLACE FUNCTION count_contacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes select 'contacts', 'contacts', sign * count(*) from touched having count(*) > 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_deleted_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into delivery_changes (instance_id, group_id, sent_now, sent, delivered, read, failed)
  select instance_id, group_id, -count(*), 0, 0, 0, 0 from gone where status = 'sent' group by instance_id, group_id;
  insert into days_without_rows
  select instance_id, day_of(coalesce(sent_at, intent_at)), count(*) filter (where status = 'sent'), count(delivered_at),
    count(read_at), count(*) filter (where status = 'failed')
  from gone where status in ('sent', 'failed') and coalesce(sent_at, intent_at) is not null group by 1, 2;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_differences()
 RETURNS TABLE(owner text, counter text, n bigint)
 LANGUAGE sql
 STABLE
AS $function$
  with kept as (
    select owner, counter, n from counts where owner <> 'all' union all
    select * from count_changes union all
    select instance_id::text, 'sent', sent_now from delivery_changes union all
    select 'group ' || group_id, 'sent', sent from sent_to_groups union all
    select 'group ' || group_id, 'sent', sent_now from delivery_changes where group_id is not null
  ), rows as (
    select instance_id::text as owner, status as counter, count(*) as n from jobs group by 1, 2 union all
    select instance_id::text, group_counter(left_at, chat_id), count(*) from groups group by 1, 2 union all
    select 'contacts', 'contacts', count(*) from contacts having count(*) > 0 union all
    select 'list ' || list_id, 'listed', count(*) from list_contacts group by 1 union all
    select message_owner(instance_id, created_by_admin, created_by_user_id), 'messages', count(*) from messages
    group by 1 union all
    select instance_id::text, 'sent', count(*) from deliveries where status = 'sent' group by 1 union all
    select instance_id::text, 'sent', sent from sent_without_rows union all
    select 'group ' || group_id, 'sent', sent from sent_without_rows where group_id is not null union all
    select 'group ' || group_id, 'sent', count(*) from deliveries where status = 'sent' and group_id is not null
    group by 1
  ), totals as (
    select 'all' as owner, counter, sum(case owner when 'all' then -n else n end) as n from counts group by counter
  ), days as (
    select instance_id, day, -sent as sent, -delivered as delivered, -read as read, -failed as failed
    from instance_days where instance_id <> 0 union all
    select instance_id, day, -sent, -delivered, -read, -failed from delivery_changes where day is not null union all
    select instance_id, day, sent, delivered, read, failed from days_without_rows union all
    select instance_id, day_of(coalesce(sent_at, intent_at)), count(*) filter (where status = 'sent'),
      count(delivered_at), count(read_at), count(*) filter (where status = 'failed')
    from deliveries where status in ('sent', 'failed') and coalesce(sent_at, intent_at) is not null group by 1, 2
    union all
    select 0, day, case instance_id when 0 then -sent else sent end,
      case instance_id when 0 then -delivered else delivered end, case instance_id when 0 then -read else read end,
      case instance_id when 0 then -failed else failed end
    from instance_days
  ), of_jobs as (
    select job_id, -sent as sent, -failed as failed, -skipped as skipped, -unknown as unknown, -delivered as delivered,
      -read as read, 0 as failed_count
    from job_counts union all
    select id, 0, 0, 0, 0, 0, 0, -failed_count from jobs union all
    select job_id, count(*) filter (where status = 'sent'), count(*) filter (where status = 'failed'),
      count(*) filter (where status = 'skipped'),
      count(*) filter (where status = 'failed' and reason->>'code' = 'outcome_unknown'),
      count(*) filter (where status = 'sent' and delivered_at is not null),
      count(*) filter (where status = 'sent' and read_at is not null), count(*) filter (where status = 'failed')
    from deliveries where status in ('sent', 'failed', 'skipped') group by 1
  ), keys as (
    -- As visibleKey in server/src/features/dashboard/people.queries.ts.
    select distinct instances,
      translate(rtrim(encode(sha256(convert_to(instances, 'UTF8')), 'base64'), '='), '+/', '-_') as key
    from (
      select string_agg(instance_id::text, ',' order by instance_id) as instances from user_instances group by user_id
    ) as visible
    union all
    select null, 'all'
  ), people as (
    select k.key, c.people, c.participants, counted.people as people_now, counted.participants as participants_now
    from people_counts c join keys k on k.key = c.instances, lateral (
      select coalesce(sum(n), 0) as version from (
        select owner, n from counts where counter = 'people' and owner <> 'all' union all
        select owner, n from count_changes where counter = 'people'
      ) as part
      where k.instances is null or owner = any(string_to_array(k.instances, ','))
    ) as present, lateral (
      select count(*) as people, coalesce(sum(rows), 0) as participants from (
        select count(*) as rows from participants p join groups g on g.id = p.group_id
        where g.left_at is null and (k.instances is null or g.instance_id::text = any(string_to_array(k.instances, ',')))
        group by p.person_id
      ) as person
    ) as counted
    where c.version = present.version
  )
  select owner, counter, sum(n)::bigint from (
    select * from rows union all select owner, counter, -n from kept union all select * from totals
  ) as difference
  where counter <> 'people'
  group by owner, counter having sum(n) <> 0
  union all
  select 'day ' || instance_id || ' ' || day, counter, sum(n)::bigint
  from days, lateral (values ('sent', sent), ('delivered', delivered), ('read', read), ('failed', failed)) as v (counter, n)
  group by instance_id, day, counter having sum(n) <> 0
  union all
  -- Once the first delivery of a job was deleted for its age, its counts stay as they are.
  select 'job ' || job_id, counter, sum(n)::bigint
  from of_jobs join jobs j on j.id = job_id and j.final_counts is null, lateral (values ('sent', sent),
    ('failed', failed), ('skipped', skipped), ('unknown', unknown), ('delivered', delivered), ('read', read),
    ('failed_count', of_jobs.failed_count)) as v (counter, n)
  group by job_id, counter having sum(n) <> 0
  union all
  select 'people of ' || key, counter, n from people,
    lateral (values ('people', people_now - people), ('participants', participants_now - participants)) as v (counter, n)
  where n <> 0
$function$;

CREATE OR REPLACE FUNCTION count_groups()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, group_counter(left_at, chat_id), sign * count(*) from touched group by 1, 2;
  if tg_op = 'DELETE' then
    insert into count_changes select instance_id::text, 'people', 1 from touched group by 1;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_inserted_delivery()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  moment timestamptz := coalesce(new.sent_at, new.intent_at);
  day date := day_of(coalesce(moment, clock_now()));
  is_sent int := (new.status = 'sent')::int;
  is_failed int := (new.status = 'failed')::int;
  is_delivered int := (new.delivered_at is not null)::int;
  is_read int := (new.read_at is not null)::int;
begin
  insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read)
  values (new.job_id, is_sent, is_failed, (new.status = 'skipped')::int,
    is_failed * (coalesce(new.reason->>'code', '') = 'outcome_unknown')::int, is_sent * is_delivered,
    is_sent * is_read);
  if new.status = 'failed' then
    perform add_failures(new.job_id, 1);
  end if;
  if new.status <> 'skipped' then
    insert into delivery_changes (instance_id, group_id, day, sent_now, sent, delivered, read, failed)
    values (new.instance_id, new.group_id, day, is_sent, is_sent, is_delivered, is_read, is_failed);
    if moment is null then
      insert into days_without_rows values (new.instance_id, day, is_sent, is_delivered, is_read, is_failed);
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, status, sign * count(*) from touched group by instance_id, status;
  if tg_op = 'DELETE' then
    delete from job_counts where job_id in (select id from touched);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_listed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes select 'list ' || list_id, 'listed', sign * count(*) from touched group by list_id;
  if found then
    perform pg_notify('sendroom_changes',
      '[{"feature": "lists", "id": null, "instanceId": null, "userId": null, "isShared": true}]');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select message_owner(instance_id, created_by_admin, created_by_user_id), 'messages', sign * count(*) from touched
  group by 1;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_moved_group()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into count_changes values (new.instance_id::text, group_counter(old.left_at, old.chat_id), -1),
    (new.instance_id::text, group_counter(new.left_at, new.chat_id), 1), (new.instance_id::text, 'people', 1);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_moved_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into count_changes values (old.instance_id::text, old.status, -1), (new.instance_id::text, new.status, 1);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_moved_message()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into count_changes values
    (message_owner(old.instance_id, old.created_by_admin, old.created_by_user_id), 'messages', -1),
    (message_owner(new.instance_id, new.created_by_admin, new.created_by_user_id), 'messages', 1);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into count_changes
  select g.instance_id::text, 'people', 1
  from (select distinct group_id from touched) t join groups g on g.id = t.group_id
  group by 1;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_refusals(refused jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  hour text := to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"');
begin
  with counted as (
    insert into audit_log (user_id, user_name, address, action, object_name, details)
    -- Always in this order. Two servers that lock the same rows in different orders would deadlock.
    select user_id, user_name, address, 'security.' || kind, '', jsonb_build_object('count', count, 'hour', hour)
    from jsonb_to_recordset(refused) as r (kind text, user_id bigint, user_name text, address text, count bigint)
    order by kind, user_id, address
    on conflict (action, coalesce(user_id, 0), (case when user_id is null then address end), (details ->> 'hour'))
      where action like 'security.%'
    do update set details = jsonb_set(audit_log.details, '{count}',
      to_jsonb((audit_log.details ->> 'count')::bigint + greatest(0, (excluded.details ->> 'count')::bigint)))
    returning id, action, user_id, xmax = 0 as is_new
  )
  insert into webhook_events (type, data)
  select action, json_build_object('auditId', id, 'userId', user_id)
  from counted
  where is_new and exists (select from webhook_receivers where is_active and 'security' = any(topics));
end $function$;

CREATE OR REPLACE FUNCTION count_updated_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  change record;
begin
  for change in
    with versions as materialized (
      select 1 as sign, 0 as lost, job_id, instance_id, group_id, status, reason, delivered_at, read_at,
        coalesce(sent_at, intent_at) as moment
      from after where status in ('sent', 'failed', 'skipped')
      union all
      select -1, (status <> 'skipped' and id not in (select id from after where status in ('sent', 'failed')))::int,
        job_id, instance_id, group_id, status, reason, delivered_at, read_at, coalesce(sent_at, intent_at)
      from before where status in ('sent', 'failed', 'skipped')
    ), by_job as (
      insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read)
      select * from (
        select job_id, sum(sign * (status = 'sent')::int) as sent, sum(sign * (status = 'failed')::int) as failed,
          sum(sign * (status = 'skipped')::int) as skipped,
          sum(sign * (status = 'failed' and coalesce(reason->>'code', '') = 'outcome_unknown')::int) as unknown,
          sum(sign * (status = 'sent' and delivered_at is not null)::int) as delivered,
          sum(sign * (status = 'sent' and read_at is not null)::int) as read
        from versions group by job_id
      ) as changes
      where (sent, failed, skipped, unknown, delivered, read) <> (0, 0, 0, 0, 0, 0)
      returning job_id, failed
    ), by_day as (
      insert into delivery_changes (instance_id, group_id, day, sent_now, sent, delivered, read, failed)
      select * from (
        select instance_id, group_id, day_of(coalesce(moment, clock_now())),
          sum(sign * (status = 'sent')::int) as sent_now, sum((sign + lost) * (status = 'sent')::int) as sent,
          sum((sign + lost) * (delivered_at is not null)::int) as delivered,
          sum((sign + lost) * (read_at is not null)::int) as read,
          sum((sign + lost) * (status = 'failed')::int) as failed
        from versions where status <> 'skipped' group by 1, 2, 3
      ) as changes
      where (sent_now, sent, delivered, read, failed) <> (0, 0, 0, 0, 0)
    ), no_row as (
      insert into days_without_rows
      select * from (
        select instance_id, day_of(coalesce(moment, clock_now())), sum(n * (status = 'sent')::int) as sent,
          sum(n * (delivered_at is not null)::int) as delivered, sum(n * (read_at is not null)::int) as read,
          sum(n * (status = 'failed')::int) as failed
        from (select *, lost + case when moment is null then sign else 0 end as n from versions) as version
        where status <> 'skipped' and n <> 0 group by 1, 2
      ) as changes
      where (sent, delivered, read, failed) <> (0, 0, 0, 0)
    )
    select job_id, failed from by_job where failed <> 0 order by job_id
  loop
    perform add_failures(change.job_id, change.failed);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION current_era()
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$select era from heartbeat$function$;

CREATE OR REPLACE FUNCTION current_timeline()
 RETURNS text
 LANGUAGE sql
AS $function$
  select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end
$function$;

CREATE OR REPLACE FUNCTION day_begins(day integer, zone text)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select (date '1970-01-01' + day)::timestamp at time zone zone
$function$;

CREATE OR REPLACE FUNCTION day_of(moment timestamptz)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE
RETURN ((moment AT TIME ZONE 'Asia/Ho_Chi_Minh'::text))::date;

CREATE OR REPLACE FUNCTION delete_api_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from api_keys where user_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION delete_mentions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET work_mem TO '32MB'
AS $function$
begin
  delete from delivery_mentions
  where delivery_id between (select min(id) from gone) and (select max(id) from gone)
    and (delivery_id in (select id from gone)) is true;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION delete_old_audit(days integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  deleted bigint;
begin
  if days is null or days < 30 then
    raise exception 'audit entries are kept for at least 30 days, not %', days;
  end if;
  delete from audit_log where id in (
    select id from audit_log where at < clock_now() - days * interval '1 day' order by at, id limit 5000);
  get diagnostics deleted = row_count;
  return deleted;
end $function$;

CREATE OR REPLACE FUNCTION delete_poll_results()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET work_mem TO '32MB'
AS $function$
begin
  delete from poll_results
  where delivery_id between (select min(id) from gone) and (select max(id) from gone)
    and (delivery_id in (select id from gone)) is true;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION delete_sign_in_tickets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from sign_in_tickets where user_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION delete_texts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET work_mem TO '32MB'
AS $function$
begin
  delete from delivery_texts
  where delivery_id between (select min(id) from gone) and (select max(id) from gone)
    and (delivery_id in (select id from gone)) is true;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION end_test_send()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.is_test_send := false;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION forget_incoming()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.incoming_until := 'epoch';
  new.incoming_check_at := 'epoch';
  return new;
end $function$;

CREATE OR REPLACE FUNCTION forget_review()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.review = 'approved' then
    insert into job_reviews (job_id, what, by_user_name) values (new.id, 'voided', coalesce(new.edited_by_user_name, ''));
  end if;
  new.review := null;
  new.review_hash := null;
  new.approve_by := null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION group_counter(left_at timestamptz, chat_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (CASE WHEN (left_at IS NULL) THEN ''::text ELSE 'left '::text END || CASE WHEN (chat_id ~~ '%@newsletter'::text) THEN 'channels'::text ELSE 'groups'::text END);

CREATE OR REPLACE FUNCTION guard_start()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.review is null and (new.is_test_send or not exists (
      select from instances where id = new.instance_id and approval = 'always')) then
    return new;
  elsif new.review <> 'approved' then
    return null;
  elsif new.review = 'approved' and new.review_hash = job_content_hash(new.id) then
    return new;
  end if;
  if new.review = 'approved' then
    insert into job_reviews (job_id, what) values (new.id, 'voided');
  end if;
  new.status := old.status;
  new.started_at := old.started_at;
  new.review := 'in_review';
  new.review_hash := job_content_hash(new.id);
  new.approve_by := approval_deadline(old);
  insert into job_reviews (job_id, what, by_user_name, hash)
  values (new.id, 'asked', coalesce(new.edited_by_user_name, new.created_by_user_name), new.review_hash);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION hour_of(moment timestamptz)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select floor(extract(epoch from moment) / 3600)::bigint
$function$;

CREATE OR REPLACE FUNCTION ignore_failed_count()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.failed_count := old.failed_count;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION is_forgotten(of_kind text, of_value text, account bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  of_hash bytea;
begin
  if not exists (select from forgotten_opt_outs) then
    return false;
  end if;
  of_hash := number_hash(of_kind, of_value);
  if of_hash is null then
    return null;
  end if;
  return exists (select from forgotten_opt_outs f where f.hash = of_hash and f.instance_id in (0, account));
end $function$;

CREATE OR REPLACE FUNCTION is_opted_out(chat text, account bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  of_kind text := case when chat like '%@lid' then 'lid' else 'phone' end;
  of_value text := split_part(chat, '@', 1);
begin
  return chat like 'forgotten-%'
    or exists (
      select from opted_out o
      where o.kind = of_kind and o.value = of_value and (o.instance_id is null or o.instance_id = account))
    or exists (
      select from forget_requests r where r.done_at is null and of_kind || ' ' || of_value = any(r.identities))
    or is_forgotten(of_kind, of_value, account);
end $function$;

CREATE OR REPLACE FUNCTION job_content_hash(of_job bigint)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(
    convert_to((jsonb_build_array(
      j.job_type, j.instance_id, extract(epoch from j.scheduled_at), j.text_content, j.is_personal, i.name)
      || case when j.content is null then '[]' else jsonb_build_array(j.content, f.name) end
      || case when j.mentions_all then '["mentions all"]' else '[]'::jsonb end)::text, 'UTF8')
    || coalesce((
      select string_agg(r.hash, ''::bytea order by r.hash)
      from (
        select sha256(convert_to(d.chat_id || coalesce(e'\n' || t.text, ''), 'UTF8')) as hash
        from deliveries d left join delivery_texts t on t.delivery_id = d.id
        where d.job_id = j.id) r), ''))
  from jobs j left join images i on i.id = j.image_id left join files f on f.id = j.file_id
  where j.id = of_job
$function$;

CREATE OR REPLACE FUNCTION jobs_above(of_user bigint, of_instance bigint, above bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
AS $function$
  select m.id
  from (
    select w.id, max(w.total) over (
      order by w.at range between interval '23:59:59.999999' preceding and current row) as most
    from (
      select r.id, r.at, sum(r.recipients) over (
        order by r.at range between current row and interval '23:59:59.999999' following) as total
      from (
        select o.id, sends_at(o) as at, case o.status when 'Cancelled' then (
            select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = o.id) else o.recipient_count end as recipients
        from jobs_within_a_day(of_user, of_instance) o
        union all
        select null, p.at, p.recipients from recent_recipients p
        where p.user_id = of_user and p.instance_id = of_instance and not p.is_test
      ) r
    ) w
  ) m
  where m.id is not null and m.most > above
$function$;

CREATE OR REPLACE FUNCTION jobs_within_a_day(of_user bigint, of_instance bigint)
 RETURNS SETOF jobs
 LANGUAGE sql
 STABLE
AS $function$
  select o.* from jobs o
  where o.created_by_user_id = of_user and o.status in ('Pending', 'Running') and o.instance_id = of_instance
    and not o.is_test_send
  union all
  select o.* from jobs o
  where o.has_deliveries and o.completed_at > clock_now() - interval '24 hours' and o.created_by_user_id = of_user
    and o.instance_id = of_instance and not o.is_test_send
  union all
  select o.* from jobs o
  where o.edited_by_user_id = of_user and o.created_by_user_id is distinct from of_user and o.instance_id = of_instance
    and not o.is_test_send and (o.status in ('Pending', 'Running')
      or o.has_deliveries and o.completed_at > clock_now() - interval '24 hours')
$function$;

CREATE OR REPLACE FUNCTION keep_forgotten()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not old.is_test then
    insert into forgotten_opt_outs select hash, 0, said_at from forgotten_opt_outs where instance_id = old.id
    on conflict do nothing;
  end if;
  delete from forgotten_opt_outs where instance_id = old.id;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION keep_opt_outs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.is_test then
    update opt_outs set ended_at = clock_now() where ended_at is null and id in (
      select opt_out_id from opted_out where instance_id = old.id);
  else
    insert into opted_out (kind, value, instance_id, opt_out_id)
    select kind, value, null, opt_out_id from opted_out where instance_id = old.id
    on conflict do nothing;
    update opt_outs set is_for_all = true where instance_id = old.id and not is_for_all;
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION keep_recent_recipients()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sent_at timestamptz := greatest(old.started_at, old.resumed_at);
  recipients int := case when tg_op = 'DELETE' and old.status = 'Cancelled' then (
    select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = old.id) else old.recipient_count end;
begin
  delete from recent_recipients where user_id in (old.created_by_user_id, old.edited_by_user_id)
    and instance_id = old.instance_id and at <= clock_now() - interval '24 hours';
  insert into recent_recipients (user_id, instance_id, at, recipients)
  select u.id, old.instance_id, sent_at, recipients
  from instances i join users u on u.id in (old.created_by_user_id, old.edited_by_user_id)
  where i.id = old.instance_id and i.approval = 'above' and sent_at > clock_now() - interval '24 hours';
  return coalesce(new, old);
end $function$;

CREATE OR REPLACE FUNCTION keep_recent_test()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into recent_recipients (user_id, instance_id, at, recipients, is_test)
  select old.created_by_user_id, i.id, greatest(old.started_at, old.resumed_at), 1, true from instances i
  where i.id = old.instance_id and i.approval <> 'never'
    and greatest(old.started_at, old.resumed_at) > clock_now() - interval '24 hours'
    and exists (select from users where id = old.created_by_user_id);
  return old;
end $function$;

CREATE OR REPLACE FUNCTION keep_use_of_contacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from gone where contact_id is not null and sent_at is not null) then
    return null;
  end if;
  with used as (
    select contact_id, max(sent_at) as at from gone
    where contact_id is not null and sent_at is not null group by contact_id
  ), free as (
    -- Waiting could be a deadlock. Whoever has locked an identity changes its contact, or has checked the number.
    select i.kind, i.value, used.at from contact_identities i join used on used.contact_id = i.contact_id
    where i.is_primary and used.at > coalesce(i.used_at, 'epoch') for no key update of i skip locked
  )
  update contact_identities i set used_at = free.at from free where i.kind = free.kind and i.value = free.value;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_use_of_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with used as (
    select message_id, max(coalesce(completed_at, clock_now())) as at from gone
    where message_id is not null group by message_id
  ), free as (
    -- Whoever has locked the row otherwise changes the message, which counts as well.
    select m.id, used.at from messages m join used on used.message_id = m.id
    where used.at > greatest(m.changed_at, m.used_at) order by m.id for no key update of m skip locked
  )
  update messages m set used_at = free.at from free where m.id = free.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION let_message_of_run_go()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.state = 'made' and new.message_id is distinct from (select message_id from jobs where id = new.job_id) then
    raise exception 'run % of a series has a message of its own', new.id;
  end if;
  new.message_id := null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION like_pattern(typed text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (('%'::text || regexp_replace(unaccent_lower(typed), '[\\%_]'::text, '\\\&'::text, 'g'::text)) || '%'::text);

CREATE OR REPLACE FUNCTION link_opt_out(of_kind text, of_value text, other bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  root opt_outs;
  scope bigint;
  own bigint;
begin
  select o.* into root from opt_outs o where o.id = (select coalesce(linked_to, id) from opt_outs where id = other);
  scope := case when not root.is_for_all then root.instance_id end;
  if exists (
    select from opted_out o
    where o.kind = of_kind and o.value = of_value and (o.instance_id is null or o.instance_id = scope)
  ) or exists (
    select from same_sender(of_kind, of_value) s join opt_ins i
      on (s.kind = 'phone' and i.phone = s.value) or (s.kind = 'lid' and i.lid = s.value)
    where i.said_at > coalesce(root.last_said_at, root.said_at)
      and (i.instance_id = scope or scope is null and not exists (
        select from instances t where t.id = i.instance_id and t.is_test))
  ) then
    return false;
  end if;
  -- A hidden number, and the other form of one, need no entry beside that of the number.
  select o.opt_out_id into own from same_sender(of_kind, of_value) s join opted_out o using (kind, value)
  where o.instance_id is not distinct from scope and (of_kind = 'lid' or s.value = other_form(of_value))
  order by o.opt_out_id desc limit 1;
  if own is null then
    insert into opt_outs (instance_id, is_for_all, source, said_at, phone, lid, linked_to)
    values (root.instance_id, root.is_for_all, 'linked', coalesce(root.last_said_at, root.said_at),
      case when of_kind = 'phone' then of_value end, case when of_kind = 'lid' then of_value end, root.id)
    returning id into own;
    insert into audit_log (user_name, address, action, object_type, object_id, object_name, details)
    values ('', '', 'opt_out.create', 'opt_out', own, case when of_kind = 'phone' then '+' else '' end || of_value,
      jsonb_build_object('sameAs', coalesce('+' || root.phone, root.lid, '')));
  end if;
  insert into opted_out (kind, value, instance_id, opt_out_id) values (of_kind, of_value, scope, own);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION local_day(moment timestamptz, zone text)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select (moment at time zone zone)::date - date '1970-01-01'
$function$;

CREATE OR REPLACE FUNCTION mark_test_send()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.is_test_send := new.message_id is null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION message_content_hash(of_message bigint)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to((jsonb_build_array(m.text_content, m.has_variables, i.name)
    || case when m.content is null then '[]' else jsonb_build_array(m.content, f.name) end)::text, 'UTF8'))
  from messages m left join images i on i.id = m.image_id left join files f on f.id = m.file_id
  where m.id = of_message
$function$;

CREATE OR REPLACE FUNCTION message_owner(instance_id bigint, is_admins boolean, author bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (instance_id IS NOT NULL) THEN (instance_id)::text WHEN is_admins THEN 'shared'::text WHEN (author IS NOT NULL) THEN ('user '::text || author) ELSE 'nobody'::text END;

CREATE OR REPLACE FUNCTION move_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update series_runs set instance_id = new.instance_id where series_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION needs_approval(j jobs)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  account record;
  users_of_job bigint[];
  one bigint;
begin
  -- A rule that begins waits for those who decide by the former one, and then finds their jobs.
  perform pg_advisory_xact_lock_shared(29005, hashint8(j.instance_id));
  select approval, approval_above into account from instances where id = j.instance_id;
  if account.approval = 'never' then
    return false;
  elsif j.is_test_send then
    -- Tests are free, but not a way to send to everybody one by one.
    return tested_within_a_day(j) > case account.approval when 'above' then greatest(20, account.approval_above) else 20 end;
  elsif account.approval = 'always' then
    return true;
  end if;
  -- Also for whoever changed it or sends it again: otherwise the jobs of others, or of those who have gone, would be
  -- free. Without both the job counts alone.
  select array_agg(distinct u order by u) into users_of_job
  from unnest(array[j.created_by_user_id, j.edited_by_user_id]) u where u is not null;
  -- Two jobs that are made at the same moment count each other: the next statement sees what was committed meanwhile.
  foreach one in array coalesce(users_of_job, '{}') loop
    perform pg_advisory_xact_lock(29004, hashtext(format('%s/%s', one, j.instance_id)));
  end loop;
  foreach one in array coalesce(users_of_job, '{}') loop
    if recipients_within_a_day(j, one) > account.approval_above then
      return true;
    end if;
  end loop;
  return j.recipient_count > account.approval_above;
end $function$;

CREATE OR REPLACE FUNCTION new_people_free_at(by_day jsonb, cap integer, quota_left integer, quota_until timestamptz, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when quota_left is not null and quota_until > moment then case when quota_left <= 0 then quota_until end
    when cap > 0 then new_people_free_at_if_set(by_day, cap, zone, moment)
  end
$function$;

CREATE OR REPLACE FUNCTION new_people_free_at_if_set(by_day jsonb, cap integer, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select day_begins(min(day) + 31, zone)
  from (
    select day, sum(n) over () as used, sum(n) over () - sum(n) over (order by day) as used_then
    from (select substr(key, 2)::int as day, value::int as n from jsonb_each_text(by_day)
          where left(key, 1) = 'n' and substr(key, 2)::int >= local_day(moment, zone) - 30) b
  ) w
  where used >= cap and used_then < cap
$function$;

CREATE OR REPLACE FUNCTION next_contact_id()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$ select nextval(pg_get_serial_sequence('contacts', 'id')) $function$;

CREATE OR REPLACE FUNCTION note_absence()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.absent_since := clock_now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION notify_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'access', 'id', (to_jsonb(coalesce(new, old)) ->> tg_argv[0])::bigint))::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_change(feature text, id bigint, instance_id bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', feature, 'id', id, 'instanceId', instance_id))::text)
$function$;

CREATE OR REPLACE FUNCTION notify_former_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('jobs', old.id, old.instance_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_group_sets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('groupSets', null, instance_id) from (select distinct instance_id from touched) as instances;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_instance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  instance_id bigint := coalesce(new.id, old.id);
begin
  perform notify_change('instances', instance_id, instance_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('jobs', new.id, new.instance_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('jobs', null, instance_id) from (select distinct instance_id from touched) as instances;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_lists()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('sendroom_changes',
    '[{"feature": "lists", "id": null, "instanceId": null, "userId": null, "isShared": true}]');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'messages', 'id', null, 'instanceId', instance_id, 'userId', author,
      'isShared', is_shared))::text)
  from (
    select distinct instance_id, instance_id is null and created_by_admin as is_shared,
      case when instance_id is null and not created_by_admin then created_by_user_id end as author
    from touched
  ) as audiences;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_name()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('groups', old.id, old.id);
  perform notify_change('jobs', null, old.id);
  perform notify_change('messages', null, old.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_opt_outs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('sendroom_changes',
    '[{"feature": "optOuts", "id": null, "instanceId": null, "userId": null, "isShared": true}]');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_series()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('series', id, instance_id) from touched;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_series_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('series', s.id, s.instance_id) from series s
  where s.id in (select series_id from touched);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION notify_sync()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change('instances', new.id, new.id);
  perform notify_change('groups', new.id, new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION number_hash(of_kind text, of_value text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(decode(split_part(pads, '.', 2), 'hex')
    || sha256(decode(split_part(pads, '.', 1), 'hex') || convert_to(of_kind || ' ' || of_value, 'UTF8')))
  from nullif(current_setting('sendroom.number_key', true), '') pads
$function$;

CREATE OR REPLACE FUNCTION opt_out_checked_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update contact_identities set whatsapp_phone = new.whatsapp_phone
  where kind = 'phone' and value = new.phone and whatsapp_phone is distinct from new.whatsapp_phone;
  perform spread_opt_outs('phone', new.phone)
  where exists (select from opted_out o where o.kind = 'phone' and o.value in (new.phone, new.whatsapp_phone));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION opt_out_new_identities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update contact_identities i set whatsapp_phone = n.whatsapp_phone
  from added a join number_checks n on n.phone = a.value
  where a.kind = 'phone' and n.whatsapp_phone is not null and i.kind = a.kind and i.value = a.value;
  -- Most new contacts have one number, and are nobody known.
  if exists (
    select from added new_one join contact_identities other on other.contact_id = new_one.contact_id
    where (other.kind, other.value) <> (new_one.kind, new_one.value)
  ) then
    perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
    perform spread_opt_outs(n.kind, n.value) from added n
    where exists (
      select from contact_identities other join opted_out o on o.kind = other.kind and o.value = other.value
      where other.contact_id = n.contact_id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION opt_out_new_lids()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from added) then
    perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
    perform spread_opt_outs('phone', l.phone) from added l
    where exists (
      select from opted_out o where (o.kind, o.value) in (('lid', l.lid), ('phone', l.phone)));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION other_form(phone text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case
    when phone ~ '^55[1-9][1-9]9[6-9]\d{7}$' then left(phone, 4) || right(phone, 8)
    when phone ~ '^55[1-9][1-9][6-9]\d{7}$' then left(phone, 4) || '9' || right(phone, 8)
    when phone ~ '^549[1-3]\d{9}$' then '54' || right(phone, 10)
    when phone ~ '^54[1-3]\d{9}$' then '549' || right(phone, 10)
    when phone ~ '^521[2-9]\d{9}$' then '52' || right(phone, 10)
    when phone ~ '^52[2-9]\d{9}$' then '521' || right(phone, 10)
  end
$function$;

CREATE OR REPLACE FUNCTION person_free_at(times timestamptz[], cap integer, rest_days integer)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select greatest(
    case when cap > 0 then times[cardinality(times) - cap + 1] + interval '24 hours' end,
    case when rest_days > 0 then times[cardinality(times)] + rest_days * interval '1 day' end)
$function$;

CREATE OR REPLACE FUNCTION person_times(times timestamptz[], moment timestamptz)
 RETURNS timestamptz[]
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(array_agg(t order by t), '{}')
  from (select t, lead(t) over (order by t) as next from unnest(times) t) each_time
  where coalesce(next, 'infinity') > moment - interval '24 hours'
$function$;

CREATE OR REPLACE FUNCTION private_hours_free_at(usage jsonb, hours integer, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when hours > 0 then private_hours_free_at_if_set(usage, hours, zone, moment) end
$function$;

CREATE OR REPLACE FUNCTION private_hours_free_at_if_set(usage jsonb, hours integer, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when not usage ? ('p' || hour_of(moment)) and hours <= (
      select count(*) from jsonb_object_keys(usage) key
      where left(key, 1) = 'p' and to_timestamp((substr(key, 2)::bigint + 1) * 3600) > day_begins(local_day(moment, zone), zone))
    then day_begins(local_day(moment, zone) + 1, zone) end
$function$;

CREATE OR REPLACE FUNCTION quarter_free_at(times timestamptz[], per_quarter integer)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when per_quarter > 0 then times[cardinality(times) - per_quarter + 1] + interval '15 minutes' end
$function$;

CREATE OR REPLACE FUNCTION quiet_until(quiet_from time, quiet_to time, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when quiet_from is not null then quiet_until_if_set(quiet_from, quiet_to, zone, moment) end
$function$;

CREATE OR REPLACE FUNCTION quiet_until_if_set(quiet_from time, quiet_to time, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when quiet_from < quiet_to and wall::time >= quiet_from and wall::time < quiet_to
      then (wall::date + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time >= quiet_from then (wall::date + 1 + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time < quiet_to then (wall::date + quiet_to) at time zone zone
  end
  from (select moment at time zone zone as wall) w
$function$;

CREATE OR REPLACE FUNCTION reason_without(reason jsonb, words text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when reason ? 'params' then jsonb_set(reason, '{params}', coalesce((
      select jsonb_object_agg(key, case
        when exists (select from unnest(words) word where word <> '' and strpos(value #>> '{}', word) > 0) then '"–"'::jsonb
        else value end)
      from jsonb_each(reason->'params')), '{}'))
    else reason end
$function$;

CREATE OR REPLACE FUNCTION recall_forgotten()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from forgotten_opt_outs) then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
  with recalled as (
    delete from forgotten_opt_outs f using added a where f.hash = number_hash(a.kind, a.value)
    returning a.kind, a.value, nullif(f.instance_id, 0) as instance_id, f.said_at
  ), begun as (
    insert into opt_outs (instance_id, is_for_all, source, said_at, phone, lid)
    select instance_id, instance_id is null, 'forgotten', said_at,
      case kind when 'phone' then value end, case kind when 'lid' then value end
    from recalled
    returning id, phone, lid, instance_id
  )
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select case when phone is null then 'lid' else 'phone' end, coalesce(phone, lid), instance_id, id from begun
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION recipients_of_user(of_user bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select
    (select coalesce(sum(recipient_count), 0) from jobs
      where created_by_user_id = of_user and status in ('Pending', 'Running'))
    + (select coalesce(sum(recipient_count), 0) from jobs
      where created_by_user_id = of_user and status = 'Cancelled' and created_at > clock_now() - interval '24 hours')
$function$;

CREATE OR REPLACE FUNCTION recipients_within_a_day(j jobs, of_user bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select max(w.total) from (
    select r.at, sum(r.recipients) over (
      order by r.at range between current row and interval '23:59:59.999999' following) as total
    from (
      select sends_at(j) as at, j.recipient_count::bigint as recipients
      union all
      select sends_at(o), case o.status when 'Cancelled' then (
          select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = o.id) else o.recipient_count end
      from jobs_within_a_day(of_user, j.instance_id) o where o.id <> j.id
      union all
      select p.at, p.recipients from recent_recipients p
      where p.user_id = of_user and p.instance_id = j.instance_id and not p.is_test
    ) r
    where r.at > sends_at(j) - interval '24 hours' and r.at < sends_at(j) + interval '24 hours'
  ) w
  where w.at <= sends_at(j)
$function$;

CREATE OR REPLACE FUNCTION record_day(by_day jsonb, kind text, day integer, n integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select case when (by_day ->> (kind || day))::int + n > 0
    then jsonb_set(by_day, array[kind || day], to_jsonb((by_day ->> (kind || day))::int + n))
    else record_day_and_forget(by_day, kind, day, n) end
$function$;

CREATE OR REPLACE FUNCTION record_day_and_forget(by_day jsonb, kind text, day integer, n integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(by_day)
      where substr(key, 2)::int >= least(day, local_day(clock_now(), 'UTC') + 1) - 32
      union all
      select kind || day, n
    ) entry
    group by key
  ) total
$function$;

CREATE OR REPLACE FUNCTION record_usage(usage jsonb, kind text, moment timestamptz, n integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select case when (usage ->> (kind || hour_of(moment)))::int + n > 0
    then jsonb_set(usage, array[kind || hour_of(moment)], to_jsonb((usage ->> (kind || hour_of(moment)))::int + n))
    else record_usage_and_forget(usage, kind, moment, n) end
$function$;

CREATE OR REPLACE FUNCTION record_usage_and_forget(usage jsonb, kind text, moment timestamptz, n integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(usage)
      where substr(key, 2)::bigint >= hour_of(moment) - 24
      union all
      select kind || hour_of(moment), n
    ) entry
    group by key
  ) total
$function$;

CREATE OR REPLACE FUNCTION refuse_check_of_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return case when not exists (
    select from jobs where instance_id = new.id and content is not null and has_deliveries
  ) and not exists (
    select from groups where instance_id = new.id and chat_id like '%@newsletter') then new end;
end $function$;

CREATE OR REPLACE FUNCTION refuse_literal_variables()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from messages m where m.id = new.message_id and m.has_variables and m.text_content = new.text_content
  ) then
    raise exception 'The message has variables, which this program does not know' using errcode = 'query_canceled';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_look_up()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return case when (select is_personal from jobs where id = new.job_id) then null else new end;
end $function$;

CREATE OR REPLACE FUNCTION refuse_look_up_of_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return case when new.chat_id not like '%@newsletter' and (select content from jobs where id = new.job_id) is null
    then new end;
end $function$;

CREATE OR REPLACE FUNCTION refuse_lost_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from messages m where m.id = new.message_id and m.content is not null) then
    raise exception 'The message has a content that this program does not know' using errcode = 'query_canceled';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_missing_channel()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_mixed_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The job has a content that this program does not know' using errcode = 'query_canceled';
end $function$;

CREATE OR REPLACE FUNCTION refuse_turn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin return null; end$function$;

CREATE OR REPLACE FUNCTION refuse_turn_to_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return case when exists (
      select from instances i where i.id = new.instance_id and (
        i.private_slow_after > 0 or i.private_per_quarter > 0 or i.private_hours > 0 or i.private_days > 0
        or i.person_cap > 0 or i.person_rest_days > 0 or i.new_people_cap > 0 or i.warm_up_step is not null
        or i.new_people_left is not null or i.capped_until > clock_now()))
    then null else new end;
end $function$;

CREATE OR REPLACE FUNCTION release_matches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update matched_messages m set released_at = clock_now()
  from gone
  where m.instance_id = gone.instance_id and m.provider_message_id = gone.provider_message_id
    and m.delivery_id = gone.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION report_delivery()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'auto'
AS $function$
begin
  if exists (select from webhook_receivers where is_active and 'delivery' = any(topics)) then
    insert into webhook_events (type, data)
    select 'delivery.' || change, json_build_object('jobId', new.job_id, 'deliveryId', new.id,
      'instanceId', new.instance_id, 'groupId', new.group_id, 'status', new.status, 'reason', new.reason->>'code')
    from unnest(array[
      case when new.status <> old.status and new.status in ('sent', 'failed') then new.status end,
      case when old.delivered_at is null and new.delivered_at is not null then 'delivered' end,
      case when old.read_at is null and new.read_at is not null then 'read' end
    ]) change
    where change is not null;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION report_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into webhook_events (type, data)
  select 'job.' || lower(new.status),
    json_build_object('jobId', new.id, 'instanceId', new.instance_id, 'status', new.status)
  where exists (select from webhook_receivers where is_active and 'job' = any(topics));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION report_trouble()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  is_of_series boolean := new.kind in ('series_approval', 'series_paused', 'series_missed')
    or new.kind = 'changes_asked' and new.host <> '';
  is_of_key boolean := new.kind = 'key_expiring';
begin
  insert into webhook_events (type, data)
  select 'trouble.' || case when new.ended_at is null then 'began' else 'ended' end,
    json_build_object('troubleId', new.id, 'kind', new.kind, 'instanceId', nullif(new.instance_id, 0),
      'jobId', nullif(new.job_id, 0), 'seriesId', case when is_of_series then new.host::bigint end,
      'apiKeyId', case when is_of_key then split_part(new.host, ' ', 1)::bigint end,
      'host', case when not is_of_series and not is_of_key then nullif(new.host, '') end, 'reason', new.reason->>'code')
  where new.kind not in ('new_browser', 'sign_in_changed') and exists (
    select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION rest_day_ends(by_day jsonb, days integer, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when days > 0 then rest_day_ends_if_set(by_day, days, zone, moment) end
$function$;

CREATE OR REPLACE FUNCTION rest_day_ends_if_set(by_day jsonb, days integer, zone text, moment timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when (
      select bool_and(coalesce((by_day ->> ('p' || local_day(moment, zone) - ago))::int, 0) >= 20)
      from generate_series(1, days) ago)
    then day_begins(local_day(moment, zone) + 1, zone) end
$function$;

CREATE OR REPLACE FUNCTION review_changed_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform review_job(new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION review_job(of_job bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  j jobs;
begin
  select * into j from jobs where id = of_job for no key update;
  if not found or j.status not in ('Pending', 'Running') then
    return;
  elsif j.review is null then
    if needs_approval(j) then
      perform ask_approval(j);
    end if;
    return;
  elsif job_content_hash(of_job) = j.review_hash then
    return;
  end if;
  if j.review = 'approved' then
    insert into job_reviews (job_id, what, by_user_name)
    values (of_job, 'voided', coalesce(j.edited_by_user_name, ''));
  end if;
  if needs_approval(j) then
    perform ask_approval(j);
  else
    update jobs set review = null, review_hash = null, approve_by = null where id = of_job;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION review_waiting_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from jobs where instance_id = new.id and status = 'Pending' and review is null order by id for no key update;
  -- Nobody else decides meanwhile, so the locks of single users are not needed.
  perform pg_advisory_xact_lock(29005, hashint8(new.id));
  if new.approval = 'always' then
    perform review_job(j.id) from jobs j
    where j.instance_id = new.id and j.status = 'Pending' and j.review is null;
    return null;
  end if;
  perform review_job(j.id) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null and j.is_test_send;
  perform ask_approval(j) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null and not j.is_test_send and (
    j.recipient_count > new.approval_above or j.id in (
      select above.id
      from (
        select distinct u from jobs o, unnest(array[o.created_by_user_id, o.edited_by_user_id]) u
        where o.instance_id = new.id and o.status = 'Pending' and o.review is null and u is not null
      ) users, jobs_above(users.u, new.id, new.approval_above) above (id)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION same_person(of_kind text, of_value text)
 RETURNS TABLE(kind text, value text)
 LANGUAGE sql
 STABLE
AS $function$
  with recursive person (kind, value) as (
    select of_kind, of_value
    union
    select next.kind, next.value from person p, lateral (
      select kind, value from tied_to(p.kind, p.value)
      union all
      select other.kind, other.value from contact_identities i join contact_identities other using (contact_id)
      where i.kind = p.kind and i.value = p.value
    ) next
  )
  select kind, value from person
$function$;

CREATE OR REPLACE FUNCTION same_sender(of_kind text, of_value text)
 RETURNS TABLE(kind text, value text)
 LANGUAGE sql
 STABLE
AS $function$
  with recursive sender (kind, value) as (
    select of_kind, of_value
    union
    select next.kind, next.value from sender s, lateral tied_to(s.kind, s.value) next
  )
  select kind, value from sender
$function$;

CREATE OR REPLACE FUNCTION sends_at(j jobs)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE
AS $function$
  select case when j.status = 'Pending' then greatest(j.scheduled_at, clock_now())
    else greatest(coalesce(j.started_at, j.scheduled_at, j.created_at), j.resumed_at) end
$function$;

CREATE OR REPLACE FUNCTION series_content_hash(of_series bigint)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to(jsonb_build_array(
    s.instance_id, s.job_type, s.rule, s.quiet_days, s.quiet_policy, s.overlap, s.recipients, s.frozen, s.author_id,
    (
      select jsonb_agg(jsonb_build_array(m.text_content, m.has_variables, i.name)
        || case when m.content is null then '[]' else jsonb_build_array(m.content, f.name) end order by sm.position)
      from series_messages sm join messages m on m.id = sm.message_id left join images i on i.id = m.image_id
        left join files f on f.id = m.file_id
      where sm.series_id = s.id
    ),
    (
      select jsonb_agg(jsonb_build_array(l.list_id, l.is_excluded) order by l.list_id, l.is_excluded)
      from series_lists l where l.series_id = s.id
    ),
    (select jsonb_agg(g.group_set_id order by g.group_set_id) from series_group_sets g where g.series_id = s.id)
  )::text, 'UTF8'))
  from series s where s.id = of_series
$function$;

CREATE OR REPLACE FUNCTION set_account_of_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.instance_id := (select instance_id from series where id = new.series_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION skip_opted_out()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  is_out boolean := is_opted_out(new.chat_id, new.instance_id);
begin
  if is_out is null and new.chat_id like '%@newsletter' then
    return new;
  end if;
  if is_out is null then
    -- The key of forgotten numbers is missing. The message waits, and nobody gets one in spite of an opt-out.
    update deliveries set not_before = clock_now() + interval '1 minute',
      reason = '{"code": "number_key_missing", "params": {}}'
    where id = new.id;
    return null;
  end if;
  if not is_out then
    return new;
  end if;
  update deliveries set status = 'skipped', not_before = 'epoch', reason = '{"code": "opted_out", "params": {}}'
  where id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION spread_opt_outs(of_kind text, of_value text)
 RETURNS void
 LANGUAGE sql
AS $function$
  with person as materialized (
    select kind, value from same_person(of_kind, of_value)
  ), held as materialized (
    select distinct on (o.instance_id) o.instance_id, o.opt_out_id
    from person join opted_out o using (kind, value) join opt_outs begun on begun.id = o.opt_out_id
    order by o.instance_id, coalesce(begun.last_said_at, begun.said_at) desc, begun.linked_to nulls first, o.opt_out_id
  ), missing as materialized (
    select person.kind, person.value, held.instance_id, held.opt_out_id
    from person, held
    where not exists (
      select from opted_out o where o.kind = person.kind and o.value = person.value
        and (o.instance_id is null or o.instance_id = held.instance_id))
    -- Numbers first: see link_opt_out.
    order by person.kind desc, person.value, held.instance_id nulls first
  )
  select link_opt_out(kind, value, opt_out_id) from missing
$function$;

CREATE OR REPLACE FUNCTION take_back(by_day jsonb, entries text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  entry text;
  counted text;
begin
  foreach entry in array entries loop
    select key into counted
    from jsonb_object_keys(by_day) key, abs(substr(key, 2)::int - substr(entry, 2)::int) as days
    where left(key, 1) = left(entry, 1) and days <= 2
    order by days limit 1;
    by_day := case
      when counted is null then by_day
      when (by_day ->> counted)::int > 1 then jsonb_set(by_day, array[counted], to_jsonb((by_day ->> counted)::int - 1))
      else by_day - counted end;
  end loop;
  return by_day;
end $function$;

CREATE OR REPLACE FUNCTION tested_within_a_day(j jobs)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select (
      select count(distinct d.chat_id) from jobs o join deliveries d on d.job_id = o.id
      where o.is_test_send and o.created_by_user_id = j.created_by_user_id and o.instance_id = j.instance_id
        and (o.status in ('Pending', 'Running') or o.started_at is not null)
        and sends_at(o) > clock_now() - interval '24 hours'
    ) + (
      select count(*) from recent_recipients p
      where p.user_id = j.created_by_user_id and p.instance_id = j.instance_id and p.is_test
        and p.at > clock_now() - interval '24 hours')
$function$;

CREATE OR REPLACE FUNCTION tie_forgotten(of_kind text, of_value text, other_kind text, other_value text)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into forgotten_opt_outs (hash, instance_id, said_at)
  select number_hash(other_kind, other_value), f.instance_id, f.said_at
  from forgotten_opt_outs f where f.hash = number_hash(of_kind, of_value)
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION tie_forgotten_checked()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from forgotten_opt_outs) then
    perform tie_forgotten('phone', new.whatsapp_phone, 'phone', new.phone),
      tie_forgotten('phone', new.phone, 'phone', new.whatsapp_phone);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION tie_forgotten_lids()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from forgotten_opt_outs) then
    perform tie_forgotten('phone', phone, 'lid', lid), tie_forgotten('lid', lid, 'phone', phone)
    from added where not is_test;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION tied_to(of_kind text, of_value text)
 RETURNS TABLE(kind text, value text)
 LANGUAGE sql
 STABLE
AS $function$
  select 'phone', k.phone from known_lids k where of_kind = 'lid' and k.lid = of_value
  union all
  select 'lid', k.lid from known_lids k where of_kind = 'phone' and k.phone = of_value
  union all
  select 'phone', n.whatsapp_phone from number_checks n
  where of_kind = 'phone' and n.phone = of_value and n.whatsapp_phone is not null
  union all
  select 'phone', n.phone from number_checks n where of_kind = 'phone' and n.whatsapp_phone = of_value
  union all
  select 'phone', other_form(of_value) where of_kind = 'phone' and other_form(of_value) is not null
$function$;

CREATE OR REPLACE FUNCTION times_after(times timestamptz[], moment timestamptz)
 RETURNS timestamptz[]
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(array_agg(t order by t), '{}') from unnest(times) t where t > moment
$function$;

CREATE OR REPLACE FUNCTION unaccent_lower(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower(CASE WHEN (octet_length($1) = length($1)) THEN $1 ELSE translate(regexp_replace(NORMALIZE($1, NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text), 'đĐ'::text, 'dD'::text) END);
