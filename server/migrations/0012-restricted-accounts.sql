-- WhatsApp lets the account write to groups only, until then; null where it does not, or nobody knows.
alter table instances add column restricted_until timestamptz;

create trigger instances_told_restricted after update of restricted_until on instances
  for each row when (old.restricted_until is distinct from new.restricted_until) execute function tell_instance();
