-- Works with programs from 0032 on.
--
-- Finds the jobs that wrote to a contact.
create index concurrently if not exists deliveries_contact on deliveries (contact_id, id) where contact_id is not null;
