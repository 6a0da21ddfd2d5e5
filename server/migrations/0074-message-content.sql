-- Works with programs from 0032 on.
--
-- Videos, documents, audio, voice messages, polls and places: docs/decisions/0041-kinds-of-messages.md.

-- A video, document, audio, voice message, poll or place, without the facts that `files` has. Null for a text, and for
-- a text with an image. The checks are not validated: no row from before has a content.
alter table messages
  add content jsonb,
  add constraint messages_content_has_file
    check ((file_id is not null) = coalesce(content->>'kind' in ('video', 'document', 'audio', 'voice'), false)) not valid,
  add constraint messages_one_content check (content is null or image_id is null) not valid;
-- A job's own copy.
alter table jobs
  add content jsonb,
  add constraint jobs_content_has_file
    check ((file_id is not null) = coalesce(content->>'kind' in ('video', 'document', 'audio', 'voice'), false)) not valid,
  add constraint jobs_one_content check (content is null or image_id is null) not valid;

-- The images and files that an account has uploaded to the provider, who keeps them for 30 days. `name` is that of a
-- stored image or file, which is never given to another.
create table provider_uploads (
  instance_id bigint not null references instances on delete cascade,
  name text not null,
  media_id text not null,
  uploaded_at timestamptz not null default clock_now(),
  primary key (instance_id, name)
);
create index provider_uploads_old on provider_uploads (uploaded_at);

-- Programs before this one would send the caption alone, and look for it. So they make no job of such a message, and
-- get no turn, no look-up and no check of the history for one. Later ones say in their transaction that they know
-- contents.
create function refuse_lost_content() returns trigger language plpgsql as $$
begin
  if exists (select from messages m where m.id = new.message_id and m.content is not null) then
    raise exception 'The message has a content that this program does not know' using errcode = 'query_canceled';
  end if;
  return new;
end $$;
create trigger jobs_refuse_lost_content before insert or update of message_id on jobs
  for each row when (new.content is null and new.message_id is not null)
  execute function refuse_lost_content();

create function refuse_mixed_content() returns trigger language plpgsql as $$
begin
  raise exception 'The job has a content that this program does not know' using errcode = 'query_canceled';
end $$;
create trigger jobs_refuse_mixed_content before update of text_content, image_id on jobs
  for each row when (
    old.content is not null and (new.text_content <> old.text_content or new.image_id is not null)
    and current_setting('sendroom.knows_content', true) is distinct from 'true')
  execute function refuse_mixed_content();

create trigger jobs_refuse_turn_of_content before update of cursor on jobs
  for each row when (
    new.content is not null and new.last_turn_at > old.last_turn_at
    and current_setting('sendroom.knows_content', true) is distinct from 'true')
  execute function refuse_turn();

create function refuse_look_up_of_content() returns trigger language plpgsql as $$
begin
  return case when (select content from jobs where id = new.job_id) is null then new end;
end $$;
create trigger deliveries_refuse_look_up_of_content before update of next_look_at on deliveries
  for each row when (
    new.next_look_at > old.next_look_at and current_setting('sendroom.knows_content', true) is distinct from 'true')
  execute function refuse_look_up_of_content();

create function refuse_check_of_content() returns trigger language plpgsql as $$
begin
  return case when not exists (
    select from jobs where instance_id = new.id and content is not null and has_deliveries) then new end;
end $$;
create trigger instances_refuse_check_of_content before update of checked_era on instances
  for each row when (
    new.checked_era is not null and new.checked_era is distinct from old.checked_era
    and current_setting('sendroom.knows_content', true) is distinct from 'true')
  execute function refuse_check_of_content();

-- An approval binds the content, too. Without one the hash stays what it was.
create or replace function job_content_hash(of_job bigint) returns bytea language sql stable as $$
  select sha256(
    convert_to((jsonb_build_array(
      j.job_type, j.instance_id, extract(epoch from j.scheduled_at), j.text_content, j.is_personal, i.name)
      || case when j.content is null then '[]' else jsonb_build_array(j.content, f.name) end)::text, 'UTF8')
    || coalesce((
      select string_agg(r.hash, ''::bytea order by r.hash)
      from (
        select sha256(convert_to(d.chat_id || coalesce(e'\n' || t.text, ''), 'UTF8')) as hash
        from deliveries d left join delivery_texts t on t.delivery_id = d.id
        where d.job_id = j.id) r), ''))
  from jobs j left join images i on i.id = j.image_id left join files f on f.id = j.file_id
  where j.id = of_job
$$;

create or replace function series_content_hash(of_series bigint) returns bytea language sql stable as $$
  select sha256(convert_to(jsonb_build_array(
    s.instance_id, s.job_type, s.rule, s.quiet_days, s.quiet_policy, s.overlap, s.recipients, s.frozen, s.author_id,
    (
      select jsonb_agg(jsonb_build_array(m.text_content, m.has_variables, i.name)
        || case when m.content is null then '[]' else jsonb_build_array(m.content, f.name) end order by sm.position)
      from series_messages sm join messages m on m.id = sm.message_id left join images i on i.id = m.image_id
        left join files f on f.id = m.file_id
      where sm.series_id = s.id
    ),
    (
      select jsonb_agg(jsonb_build_array(l.list_id, l.is_excluded) order by l.list_id, l.is_excluded)
      from series_lists l where l.series_id = s.id
    ),
    (select jsonb_agg(g.group_set_id order by g.group_set_id) from series_group_sets g where g.series_id = s.id)
  )::text, 'UTF8'))
  from series s where s.id = of_series
$$;

create or replace function message_content_hash(of_message bigint) returns bytea language sql stable as $$
  select sha256(convert_to((jsonb_build_array(m.text_content, m.has_variables, i.name)
    || case when m.content is null then '[]' else jsonb_build_array(m.content, f.name) end)::text, 'UTF8'))
  from messages m left join images i on i.id = m.image_id left join files f on f.id = m.file_id
  where m.id = of_message
$$;

-- As for a text or an image (0071): another content makes a new version of each series that sends the message.
drop trigger messages_change_series on messages;
create trigger messages_change_series after update of text_content, image_id, content, file_id on messages
  for each row when (
    old.text_content is distinct from new.text_content or old.image_id is distinct from new.image_id
    or old.has_variables is distinct from new.has_variables or old.content is distinct from new.content
    or old.file_id is distinct from new.file_id)
  execute function change_series_of_message();
