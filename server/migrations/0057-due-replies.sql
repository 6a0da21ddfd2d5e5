-- Works with programs from 0032 on.
--
-- Answers of people, while somebody has the lock of their account. A worker applies them (engine/incoming/replies.ts).
create table due_replies (
  instance_id bigint not null references instances on delete cascade,
  phone text not null,
  said_at timestamptz not null,
  primary key (instance_id, phone)
);

-- Accounts of today are read from now on, also after a restore.
update instances set incoming_read_until = clock_now() where incoming_read_until is null;

-- An account that is about to be away may miss messages, too.
drop trigger instances_forget_incoming on instances;
create trigger instances_forget_incoming before update on instances
  for each row when (
    (old.waiting is not null and new.waiting is null) or (old.status = 'Connected') <> (new.status = 'Connected')
    or old.is_active <> new.is_active
    or old.webhook_base is distinct from new.webhook_base or old.token_hash <> new.token_hash)
  execute function forget_incoming();
