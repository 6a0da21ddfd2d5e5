-- Works with programs from 0013 on.
--
-- How many days an Admin keeps details. Null keeps them for ever. A background job deletes what is older, in small
-- slices. Receipts count for seven days after a message was sent, so nothing is deleted earlier.
create table retention (
  only_row boolean primary key default true check (only_row),
  delivery_days int check (delivery_days >= 7),
  log_days int check (log_days >= 7),
  receipt_days int default 7 check (receipt_days >= 7)
);
insert into retention default values;

alter table jobs
  -- The counts of the job's page. Set before the first delivery is deleted: what is left of the deliveries says nothing.
  add column final_counts jsonb,
  -- Whether there may be deliveries and log lines to delete.
  add column has_deliveries boolean not null default true,
  add column has_logs boolean not null default true,
  -- Without its deliveries a job can't be sent again, not even by an older program.
  add constraint jobs_final check (final_counts is null or status in ('Completed', 'Failed', 'Cancelled'));

create index jobs_with_deliveries on jobs (completed_at) where has_deliveries;
create index jobs_with_logs on jobs (completed_at) where has_logs;

-- A sync does not write groups that have not changed, and lists show and sort by the time of the account's last sync.
drop index groups_last_sync_at;

-- Slices are taken by age. Deleted rows leave room for new ones, among which a BRIN index finds nothing.
drop index delivery_views_sent_at;
create index delivery_views_sent_at on delivery_views (sent_at);
