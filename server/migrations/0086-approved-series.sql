-- Works with programs from 0032 on.
--
-- Whoever approves a series has read its messages in one version of it. So another text or image of a message is
-- another version of the series that send it. It also waits for a run that is being made, which holds the series.

create function change_series_of_message() returns trigger language plpgsql as $$
begin
  update series s set version = version + 1
  where s.state <> 'ended' and s.id in (select m.series_id from series_messages m where m.message_id = new.id);
  return null;
end $$;
create trigger messages_change_series after update of text_content, image_id on messages
  for each row when (
    (old.text_content, old.image_id, old.has_variables)
      is distinct from (new.text_content, new.image_id, new.has_variables))
  execute function change_series_of_message();
