-- Works with programs from 0032 on.
--
-- Imports of contacts: docs/decisions/0033-imports.md.

create table imports (
  id bigint generated always as identity primary key,
  source text not null check (source in ('file', 'addressBook', 'groups')),
  file_name text not null default '',
  -- The account whose address book or groups are read.
  instance_id bigint references instances on delete set null,
  group_ids bigint[] not null default '{}',
  user_id bigint references users on delete set null,
  user_name text not null,
  created_at timestamptz not null default clock_now(),
  -- 'uploading' until the whole file is in `import_parts`. Nobody sees such an import.
  status text not null
    check (status in ('uploading', 'checking', 'checked', 'running', 'done', 'undoing', 'undone')),
  -- The refusal for which the rows can't be read, with its params.
  fault jsonb,
  -- How the file is read: a `Reading` of contract/src/imports.ts, and whether the encoding is a guess.
  reading jsonb,
  is_guess boolean not null default false,
  -- The first row, if it names the columns.
  header text[],
  known text check (known in ('keep', 'fill', 'overwrite')),
  -- Without a foreign key: deleting a list would wait for a worker that waits for the list.
  list_id bigint,
  tags text[] not null default '{}',
  -- Why these people may be written to, and who said so when. Kept as long as the import.
  consent text not null default '',
  started_by text not null default '',
  started_at timestamptz,
  ended_at timestamptz,
  undone_at timestamptz,
  -- The place of the last row that the present status is through with, or the offset in the address book.
  cursor int not null default 0,
  -- The number of rows, once all are in `import_rows`.
  rows int,
  added int not null default 0,
  changed int not null default 0,
  unchanged int not null default 0,
  twice int not null default 0,
  refused int not null default 0,
  removed int not null default 0,
  kept int not null default 0,
  gone int not null default 0,
  version int not null default 1,
  -- A worker holds the import until then. `lease` is its own, so that a late one finds that it has lost the import.
  held_until timestamptz,
  lease uuid,
  -- Imports take turns by this.
  due_at timestamptz not null default clock_now(),
  -- Failures since the last progress.
  tries int not null default 0,
  constraint imports_started check ((started_at is null) = (status in ('uploading', 'checking', 'checked')))
);
create index imports_user on imports (user_id, id);
create index imports_instance on imports (instance_id);
create index imports_due on imports (due_at) where status in ('checking', 'running', 'undoing');
create index imports_waiting on imports (created_at) where started_at is null;
-- A user has one at a time.
create unique index imports_one_at_a_time on imports (user_id) where status in ('running', 'undoing');

-- The uploaded file, until the import begins. In the database, because servers share nothing else.
create table import_parts (
  import_id bigint not null references imports on delete cascade,
  place int not null,
  bytes bytea not null,
  primary key (import_id, place)
);

create table import_rows (
  import_id bigint not null references imports on delete cascade,
  place int not null,
  -- The row's number in the spreadsheet.
  number int not null,
  -- The person as the row says, until it is imported.
  kind text,
  value text,
  name text,
  note text,
  tags text[],
  -- By the ids of the fields.
  field_values jsonb,
  -- The row as it is in the file, until it is imported, or if it is not.
  cells text[],
  outcome text check (outcome in ('added', 'changed', 'unchanged', 'twice', 'refused')),
  -- Why the row is refused: a `RowProblem` of contract/src/imports.ts.
  problem jsonb,
  -- Without a foreign key, which would write a row for each deleted contact. Ids of contacts never come again.
  contact_id bigint,
  -- For undo: what the contact had before, the tags that it got, whether it came into the list, and its version then.
  before jsonb,
  tag_ids bigint[],
  is_listed boolean not null default false,
  contact_version int,
  undone text check (undone in ('removed', 'kept', 'gone')),
  primary key (import_id, place)
);
create index import_rows_contact on import_rows (contact_id) where contact_id is not null;

-- Imports have to know the ids of contacts before these exist. The app may not use sequences otherwise.
create function next_contact_id() returns bigint language sql security definer set search_path from current as
  $$ select nextval(pg_get_serial_sequence('contacts', 'id')) $$;
