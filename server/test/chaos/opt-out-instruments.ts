/**
 * Logs who opts out and in, and each intent for somebody who had opted out: `ignored opt-out`.
 *
 * The first trigger runs once the row of the delivery is locked, before the engine's own trigger: PostgreSQL calls them
 * by their names. So the engine, which has waited for all its locks by then, could see each opt-out that is noted. The
 * second trigger runs at the end of the statement. An opt-out that is still there then stood all the time in between.
 * So an intent that is logged ignored it, whatever the order of the commits.
 */
export const OPT_OUT_INSTRUMENTS = `
  create table chaos.noted (intent uuid not null, opt_out_id bigint not null);

  create function chaos.note_opt_outs() returns trigger language plpgsql as $$
  begin
    insert into chaos.noted
    select new.intent, o.opt_out_id from opted_out o
    where o.value = split_part(new.chat_id, '@', 1) and coalesce(o.instance_id, new.instance_id) = new.instance_id;
    return new;
  end $$;
  create trigger chaos_note_opt_outs before update on deliveries for each row
    when (old.status <> 'sending' and new.status = 'sending') execute function chaos.note_opt_outs();

  create function chaos.log_ignored_opt_out() returns trigger language plpgsql as $$
  begin
    insert into chaos.log (kind, instance_id, job_id, delivery_id, chat_id)
    select distinct 'ignored opt-out', new.instance_id, new.job_id, new.id, new.chat_id
    from chaos.noted n join opted_out o on o.opt_out_id = n.opt_out_id
    where n.intent = new.intent and o.value = split_part(new.chat_id, '@', 1);
    return null;
  end $$;
  create trigger log_ignored_opt_out after update on deliveries for each row
    when (old.status <> 'sending' and new.status = 'sending') execute function chaos.log_ignored_opt_out();

  create function chaos.log_opt_out() returns trigger language plpgsql as $$
  begin
    insert into chaos.log (kind, instance_id, chat_id, became)
    values ('opt-out', coalesce(new.instance_id, old.instance_id, 0),
      coalesce(new.value, old.value) || '@s.whatsapp.net', case tg_op when 'INSERT' then 'out' else 'in' end);
    return null;
  end $$;
  create trigger log_opt_out after insert or delete on opted_out for each row execute function chaos.log_opt_out();
`
