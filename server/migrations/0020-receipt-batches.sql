-- Works with programs from 0014 on.
--
-- Receipts as the provider's calls brought them: one row for all calls that were written together. A worker applies them
-- within a second and deletes the row. One row for many receipts makes answering a call cheap, and receipts that are
-- applied together rewrite the bitmaps of their message once.
create table receipt_batches (
  id bigint primary key generated always as identity,
  -- A JSON list. As text, because PostgreSQL never looks into it.
  receipts text not null,
  receipt_count int not null,
  received_at timestamptz not null default clock_now()
);

-- All rows of a page are often rewritten by one transaction, so there is room for two versions of each.
alter table delivery_views set (fillfactor = 45);
