-- Works with programs from 0032 on.
--
-- Programs before 0042 copy a message with its variables, and would send these to everybody. They answer that they are
-- not ready, for which clients ask again, until a later program answers. Later programs write the text out, or mark the
-- job as personal.
create function refuse_literal_variables() returns trigger language plpgsql as $$
begin
  if exists (
    select from messages m where m.id = new.message_id and m.has_variables and m.text_content = new.text_content
  ) then
    raise exception 'The message has variables, which this program does not know' using errcode = 'query_canceled';
  end if;
  return new;
end $$;
create trigger jobs_refuse_literal_variables before insert on jobs
  for each row when (not new.is_personal and new.text_content like '%{{%')
  execute function refuse_literal_variables();

-- As in 0042-personal-texts.sql, also when the clock was set back since the last turn. A retry and a restart set the
-- turn to 'epoch'.
create or replace trigger jobs_refuse_turn before update of cursor on jobs
  for each row when (
    new.is_personal and new.last_turn_at <> old.last_turn_at and new.last_turn_at <> 'epoch'
    and current_setting('sendroom.knows_personal_texts', true) is distinct from 'true')
  execute function refuse_turn();
