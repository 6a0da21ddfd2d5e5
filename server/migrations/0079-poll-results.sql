-- Works with programs from 0032 on.
--
-- The results of polls. A program from before stores none.

-- The votes in a poll that an account has sent, each time as a whole. They may come before the delivery knows the id of
-- its message.
create table poll_results (
  instance_id bigint not null,
  provider_message_id text not null,
  -- Null until the delivery is known. Polls of other programs and from the phone have none, and go after a day.
  delivery_id bigint,
  -- By option: how many have chosen it, and who (digits of a phone number, or a LID).
  counts jsonb not null default '{}',
  voters jsonb not null default '{}',
  -- When the results came last. Null: the provider was asked, and has not answered yet.
  updated_at timestamptz,
  asked_at timestamptz,
  primary key (instance_id, provider_message_id)
);
create index poll_results_delivery on poll_results (delivery_id) where delivery_id is not null;
create index poll_results_unmatched on poll_results (updated_at) where delivery_id is null;

-- As for texts: 0046-delete-texts-by-index.sql.
create function delete_poll_results() returns trigger language plpgsql
set enable_seqscan = off set work_mem = '32MB' as $$
begin
  delete from poll_results
  where delivery_id between (select min(id) from gone) and (select max(id) from gone)
    and (delivery_id in (select id from gone)) is true;
  return null;
end $$;
create trigger deliveries_delete_poll_results after delete on deliveries
  referencing old table as gone for each statement execute function delete_poll_results();
