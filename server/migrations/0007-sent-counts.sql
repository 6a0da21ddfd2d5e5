-- How many deliveries are sent, by account and group (null: to people), kept beside the rows so that the dashboard
-- need not count a million of them. Only sums mean something: each change is a row of its own, because an insert
-- waits for nobody, and is added to the others once a minute.
create table sent_counts (
  instance_id bigint not null,
  group_id bigint,
  sent bigint not null
);

create function count_sent() returns trigger language plpgsql as $$
begin
  insert into sent_counts values (new.instance_id, new.group_id, case new.status when 'sent' then 1 else -1 end);
  return null;
end $$;

create trigger deliveries_sent after update of status on deliveries
  for each row when ((old.status = 'sent') <> (new.status = 'sent')) execute function count_sent();
create trigger deliveries_inserted_sent after insert on deliveries
  for each row when (new.status = 'sent') execute function count_sent();

-- Deliveries go with their job, all at once.
create function uncount_sent() returns trigger language plpgsql as $$
begin
  insert into sent_counts
  select instance_id, group_id, -count(*) from gone where status = 'sent' group by instance_id, group_id;
  return null;
end $$;

create trigger deliveries_gone after delete on deliveries
  referencing old table as gone for each statement execute function uncount_sent();

insert into sent_counts
select instance_id, group_id, count(*) from deliveries where status = 'sent' group by instance_id, group_id;
