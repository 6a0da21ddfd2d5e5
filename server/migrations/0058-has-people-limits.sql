-- Works with programs from 0032 on.
--
-- Whether any limit of 0049 holds for the account's messages to people. Without one, an intent neither tests nor counts
-- them: writing down each person would cost a fifth of the engine's speed.
alter table instances add has_people_limits boolean not null generated always as (
  private_slow_after > 0 or private_per_quarter > 0 or private_hours > 0 or private_days > 0
  or person_cap > 0 or person_rest_days > 0 or new_people_cap > 0 or warm_up_step is not null
  or new_people_left is not null) stored;
