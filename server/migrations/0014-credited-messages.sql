-- Which delivery a message at the provider is credited to: one at most. Kept beside the deliveries, for with the id in an
-- index of theirs no message could be settled without writing all their other indexes too.
--
-- Ids of deliveries since deleted or restarted are freed, and stay for 48 hours: a look-up must not take an old message
-- for a new one.

alter table credited_messages rename column credited_at to freed_at;
alter table credited_messages
  alter column freed_at drop not null,
  alter column freed_at drop default,
  add column delivery_id bigint,
  -- Each check of it would cost as much as the insert, and take the account's row: that is the engine's lock.
  drop constraint credited_messages_instance_id_fkey;

insert into credited_messages (instance_id, provider_message_id, delivery_id)
select instance_id, provider_message_id, id from deliveries where provider_message_id is not null
on conflict (instance_id, provider_message_id) do update set delivery_id = excluded.delivery_id, freed_at = null;

create index credited_messages_freed on credited_messages (freed_at) where freed_at is not null;
drop index deliveries_provider_message;

create function free_credits() returns trigger language plpgsql as $$
begin
  update credited_messages c set freed_at = clock_now()
  from gone
  where c.instance_id = gone.instance_id and c.provider_message_id = gone.provider_message_id
    and c.delivery_id = gone.id;
  return null;
end $$;

create trigger deliveries_gone_credits after delete on deliveries
  referencing old table as gone for each statement execute function free_credits();
