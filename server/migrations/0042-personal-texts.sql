-- Works with programs from 0032 on.
--
-- Texts with variables, which are written out for each recipient: docs/decisions/0031-personal-texts.md.

-- Whether double braces in the text are variables, unless they follow a backslash. Texts from before, and those that an
-- older program saves, are sent as they are until somebody edits them.
alter table messages add has_variables boolean not null default false;

-- Whether each recipient has a text of their own. `text_content` has the variables then.
alter table jobs add is_personal boolean not null default false;

-- The contact that the recipient was when the job was made. No foreign key: deleting a contact would write all of its
-- deliveries. An id is never given again, so one of a deleted contact finds nobody.
alter table deliveries add contact_id bigint;

-- The text of each recipient of a personal job. Apart from the deliveries, because those are updated often.
create table delivery_texts (
  delivery_id bigint primary key,
  text text not null
);

-- A single statement for all that are deleted at once. A foreign key would run one for each delivery of every job.
-- The array makes PostgreSQL use the index, however many it expects.
create function delete_texts() returns trigger language plpgsql as $$
begin
  delete from delivery_texts where delivery_id = any(array(select id from gone));
  return null;
end $$;
create trigger deliveries_delete_texts after delete on deliveries
  referencing old table as gone for each statement execute function delete_texts();

-- Workers before this one would send the variables, and look for them in the chat. So they get no turn for such a job,
-- and no look-up, until none of them can run any more. Later ones say in their transaction that they know the texts.
create function refuse_turn() returns trigger language plpgsql as 'begin return null; end';
create trigger jobs_refuse_turn before update of cursor on jobs
  for each row when (
    new.is_personal and new.last_turn_at > old.last_turn_at
    and current_setting('sendroom.knows_personal_texts', true) is distinct from 'true')
  execute function refuse_turn();

create function refuse_look_up() returns trigger language plpgsql as $$
begin
  return case when (select is_personal from jobs where id = new.job_id) then null else new end;
end $$;
create trigger deliveries_refuse_look_up before update of next_look_at on deliveries
  for each row when (
    new.next_look_at > old.next_look_at and current_setting('sendroom.knows_personal_texts', true) is distinct from 'true')
  execute function refuse_look_up();
