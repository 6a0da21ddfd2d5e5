-- Works with programs from 0013 on.
--
-- The failed recipients of a job, which have a reason. An index on the status would be written with each message.
create index concurrently if not exists deliveries_reason on deliveries (job_id, id) where reason is not null;
