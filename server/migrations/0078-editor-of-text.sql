-- Works with programs from 0032 on.
--
-- The user who changes a text of a series does not approve it: docs/decisions/0039-approval.md. Otherwise one person
-- could put another text into a series that somebody else has made.

-- The user who changed the message last. No reference, as ids of users are never used again.
alter table messages add edited_by_user_id bigint;
-- The user who changed a text of the series since it was saved.
alter table series add text_edited_by_user_id bigint;

create or replace function change_series_of_message() returns trigger language plpgsql as $$
begin
  update series s set version = version + 1, text_edited_by_user_id = new.edited_by_user_id
  where s.state <> 'ended' and s.id in (
    select m.series_id from series_messages m where m.message_id = new.id
    union all
    select r.series_id from series_runs r where r.message_id = new.id);
  return null;
end $$;
