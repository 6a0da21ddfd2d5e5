-- Works with programs from 0032 on.
--
-- Messages that mention all members of a group: docs/decisions/0042-mention-all.md. A program from before sends the
-- message without mentions.

alter table users add can_mention_all boolean not null default false;
alter table jobs add mentions_all boolean not null default false;

-- The members of a group whom the message of a delivery mentions, read right before its intent. Apart from the
-- deliveries, because those are updated often, and few of them mention anybody.
create table delivery_mentions (
  delivery_id bigint primary key,
  -- How many members the group had, and how many of them show their number.
  members int not null,
  reached int not null,
  -- The numbers. Empty once the message was sent.
  phones text[] not null,
  read_at timestamptz not null default clock_now(),
  is_sent boolean not null default false
);
create index delivery_mentions_with_phones on delivery_mentions (read_at) where phones <> '{}';

-- As for texts: 0046-delete-texts-by-index.sql.
create function delete_mentions() returns trigger language plpgsql
set enable_seqscan = off set work_mem = '32MB' as $$
begin
  delete from delivery_mentions
  where delivery_id between (select min(id) from gone) and (select max(id) from gone)
    and (delivery_id in (select id from gone)) is true;
  return null;
end $$;
create trigger deliveries_delete_mentions after delete on deliveries
  referencing old table as gone for each statement execute function delete_mentions();

-- An account mentions the members of a group once a day. A run of a job may repeat its own message that was not sent.
create table group_mentions (
  instance_id bigint not null references instances on delete cascade,
  chat_id text not null,
  -- Days since 1970 in the time zone of the account.
  day int not null,
  delivery_id bigint not null,
  run int not null,
  primary key (instance_id, chat_id, day)
);
create index group_mentions_day on group_mentions (day);

-- An approval binds the mentions, too. Without them the hash stays what it was.
create or replace function job_content_hash(of_job bigint) returns bytea language sql stable as $$
  select sha256(
    convert_to((jsonb_build_array(
      j.job_type, j.instance_id, extract(epoch from j.scheduled_at), j.text_content, j.is_personal, i.name)
      || case when j.content is null then '[]' else jsonb_build_array(j.content, f.name) end
      || case when j.mentions_all then '["mentions all"]' else '[]'::jsonb end)::text, 'UTF8')
    || coalesce((
      select string_agg(r.hash, ''::bytea order by r.hash)
      from (
        select sha256(convert_to(d.chat_id || coalesce(e'\n' || t.text, ''), 'UTF8')) as hash
        from deliveries d left join delivery_texts t on t.delivery_id = d.id
        where d.job_id = j.id) r), ''))
  from jobs j left join images i on i.id = j.image_id left join files f on f.id = j.file_id
  where j.id = of_job
$$;
