-- Works with programs from 0022 on.
--
-- How often a stored receipt has been tried. A program that does not know the column leaves it at 1.
alter table receipt_events add tries int not null default 1;

-- Receipts that can't be applied because of what they say. Each row has one, or one call that can't be read.
create table receipts_set_aside (
  id bigint generated always as identity primary key,
  receipts text not null,
  reason text not null,
  received_at timestamptz not null,
  set_aside_at timestamptz not null default clock_now()
);
