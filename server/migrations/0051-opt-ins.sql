-- Works with programs from 0032 on.
--
-- Messages of people who want messages again. Messages come late and in any order, so an opt-out that was said before
-- one of these must not begin after it.
create table opt_ins (
  instance_id bigint not null references instances on delete cascade,
  provider_message_id text not null,
  phone text,
  lid text,
  said_at timestamptz not null,
  primary key (instance_id, provider_message_id)
);
create index opt_ins_phone on opt_ins (phone, said_at) where phone is not null;
create index opt_ins_lid on opt_ins (lid, said_at) where lid is not null;
