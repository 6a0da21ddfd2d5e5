-- Works with programs from 0032 on.
--
-- As in 0074-message-content.sql, also for a job whose last turn lies ahead, since it was put off after a failed upload
-- (docs/decisions/0041-kinds-of-messages.md). A retry and a restart set the turn to 'epoch'.
create or replace trigger jobs_refuse_turn_of_content before update of cursor on jobs
  for each row when (
    new.content is not null and new.last_turn_at <> old.last_turn_at and new.last_turn_at <> 'epoch'
    and current_setting('sendroom.knows_content', true) is distinct from 'true')
  execute function refuse_turn();
