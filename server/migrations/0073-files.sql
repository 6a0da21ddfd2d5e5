-- Works with programs from 0032 on.
--
-- The files of messages other than images: videos, documents, audio, voice messages. docs/decisions/0040-files.md.

create table files (
  id bigint generated always as identity primary key,
  -- The name in the store, which nobody can guess. The type decides its ending. The user's name belongs to the message.
  name text not null unique,
  mime_type text not null,
  size bigint not null check (size > 0),
  -- The same content is kept once.
  sha256 bytea not null unique check (length(sha256) = 32),
  -- The length of a video or audio, if it says so.
  seconds int check (seconds > 0),
  width int check (width > 0),
  height int check (height > 0),
  -- A message can send it as one of these, the best first. Every file can be a document.
  kinds text[] not null check ('document' = any (kinds) and kinds <@ array['video', 'audio', 'voice', 'document']),
  -- Why a phone would not play this video or audio.
  why_not text,
  created_at timestamptz not null default clock_now(),
  unused_since timestamptz,
  -- The user who uploaded it first.
  user_id bigint references users on delete set null
);
create index files_user on files (user_id) include (size);

alter table messages add file_id bigint references files;
alter table jobs add file_id bigint references files;
create index messages_file on messages (file_id) where file_id is not null;
create index jobs_file on jobs (file_id) where file_id is not null;
