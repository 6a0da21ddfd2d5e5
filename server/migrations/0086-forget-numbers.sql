-- Works with programs from 0032 on.
--
-- A number can be forgotten: docs/decisions/0047-personal-data.md. A program from before sends nothing to people once
-- an opt-out of a forgotten number has to be looked for, which needs a key that it does not have.

-- People who want no messages, without saying who: a keyed hash of an identity. `instance_id` 0 is for all accounts.
create table forgotten_opt_outs (
  hash bytea not null,
  instance_id bigint not null,
  said_at timestamptz not null,
  primary key (hash, instance_id)
);

create table forget_requests (
  id bigint generated always as identity primary key,
  -- The digits, and all by which WhatsApp knows them: 'phone 849…', 'lid 111'. Nothing is sent to them meanwhile.
  phone text,
  identities text[] not null default '{}',
  requested_by_user_name text not null,
  requested_at timestamptz not null default clock_now(),
  -- How many messages with an unknown result the request waits for.
  unsettled integer not null default 0,
  erased integer not null default 0,
  done_at timestamptz,
  constraint forget_requests_done check (done_at is null or phone is null and identities = '{}')
);
create unique index forget_requests_open on forget_requests (phone) where done_at is null;

-- HMAC-SHA-256 of an identity, with the key that the program has set for the transaction: its two pads. Null without.
create function number_hash(of_kind text, of_value text) returns bytea language sql stable as $$
  select sha256(decode(split_part(pads, '.', 2), 'hex')
    || sha256(decode(split_part(pads, '.', 1), 'hex') || convert_to(of_kind || ' ' || of_value, 'UTF8')))
  from nullif(current_setting('sendroom.number_key', true), '') pads
$$;

-- Null if nobody can say, because the key is missing.
create function is_forgotten(of_kind text, of_value text, account bigint) returns boolean
language plpgsql volatile as $$
declare
  of_hash bytea;
begin
  if not exists (select from forgotten_opt_outs) then
    return false;
  end if;
  of_hash := number_hash(of_kind, of_value);
  if of_hash is null then
    return null;
  end if;
  return exists (select from forgotten_opt_outs f where f.hash = of_hash and f.instance_id in (0, account));
end $$;

-- Also who is being forgotten, and recipients of former jobs who were.
create or replace function is_opted_out(chat text, account bigint) returns boolean language plpgsql volatile as $$
declare
  of_kind text := case when chat like '%@lid' then 'lid' else 'phone' end;
  of_value text := split_part(chat, '@', 1);
begin
  return chat like 'forgotten-%'
    or exists (
      select from opted_out o
      where o.kind = of_kind and o.value = of_value and (o.instance_id is null or o.instance_id = account))
    or exists (
      select from forget_requests r where r.done_at is null and of_kind || ' ' || of_value = any(r.identities))
    or is_forgotten(of_kind, of_value, account);
end $$;

create or replace function skip_opted_out() returns trigger language plpgsql as $$
declare
  is_out boolean := is_opted_out(new.chat_id, new.instance_id);
begin
  if is_out is null and new.chat_id like '%@newsletter' then
    return new;
  end if;
  if is_out is null then
    -- The key of forgotten numbers is missing. The message waits, and nobody gets one in spite of an opt-out.
    update deliveries set not_before = clock_now() + interval '1 minute',
      reason = '{"code": "number_key_missing", "params": {}}'
    where id = new.id;
    return null;
  end if;
  if not is_out then
    return new;
  end if;
  update deliveries set status = 'skipped', not_before = 'epoch', reason = '{"code": "opted_out", "params": {}}'
  where id = new.id;
  return null;
end $$;

-- A contact brings a number back. Its opt-out becomes an ordinary one, which lists and filters show.
create function recall_forgotten() returns trigger language plpgsql as $$
begin
  if not exists (select from forgotten_opt_outs) then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
  with recalled as (
    delete from forgotten_opt_outs f using added a where f.hash = number_hash(a.kind, a.value)
    returning a.kind, a.value, nullif(f.instance_id, 0) as instance_id, f.said_at
  ), begun as (
    insert into opt_outs (instance_id, is_for_all, source, said_at, phone, lid)
    select instance_id, instance_id is null, 'forgotten', said_at,
      case kind when 'phone' then value end, case kind when 'lid' then value end
    from recalled
    returning id, phone, lid, instance_id
  )
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select case when phone is null then 'lid' else 'phone' end, coalesce(phone, lid), instance_id, id from begun
  on conflict do nothing;
  return null;
end $$;
-- By its name before contact_identities_opt_out, which ties the contact's other numbers to the opt-out.
create trigger contact_identities_forgotten after insert on contact_identities
  referencing new table as added for each statement execute function recall_forgotten();

alter table opt_outs drop constraint opt_outs_source_check;
alter table opt_outs add constraint opt_outs_source_check
  check (source in ('message', 'review', 'form', 'import', 'api', 'linked', 'forgotten')) not valid;

-- As keep_opt_outs: who opted out of an account that is deleted gets nothing from the others.
create function keep_forgotten() returns trigger language plpgsql as $$
begin
  if not old.is_test then
    insert into forgotten_opt_outs select hash, 0, said_at from forgotten_opt_outs where instance_id = old.id
    on conflict do nothing;
  end if;
  delete from forgotten_opt_outs where instance_id = old.id;
  return old;
end $$;
create trigger instances_keep_forgotten before delete on instances for each row execute function keep_forgotten();

-- A reason without these words: each param that contains one of them becomes a dash.
create function reason_without(reason jsonb, words text[]) returns jsonb language sql immutable as $$
  select case when reason ? 'params' then jsonb_set(reason, '{params}', coalesce((
      select jsonb_object_agg(key, case
        when exists (select from unnest(words) word where word <> '' and strpos(value #>> '{}', word) > 0) then '"–"'::jsonb
        else value end)
      from jsonb_each(reason->'params')), '{}'))
    else reason end
$$;
