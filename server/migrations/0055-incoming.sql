-- Works with programs from 0032 on.
--
-- Until when the incoming messages of an account count as known: a webhook reports them, or they were read just now.
alter table instances add incoming_until timestamptz not null default 'epoch';
-- Nobody has written to a new account.
alter table instances
  alter incoming_read_until set default clock_now(),
  alter incoming_era set default current_era();

-- While an account is away, or its webhook changes, messages may pass unreported. They are read before it writes to
-- people again. A reading that goes on meanwhile counts for nothing.
create function forget_incoming() returns trigger language plpgsql as $$
begin
  new.incoming_until := 'epoch';
  new.incoming_check_at := 'epoch';
  return new;
end $$;
create trigger instances_forget_incoming before update on instances
  for each row when (
    (old.waiting is not null and new.waiting is null) or (old.status <> 'Connected' and new.status = 'Connected')
    or old.webhook_base is distinct from new.webhook_base or old.token_hash <> new.token_hash)
  execute function forget_incoming();
