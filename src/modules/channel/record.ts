/** A channel's fields as the record of actions tells them: what an operator sets, never a key. */
import { type Changes, changesBetween, SECRET_CHANGED } from '../../core/admin-actions.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { channels } from '../../db/schema/channel.ts';
import { changedSecrets, shownSecrets } from './secrets.ts';

type Row = typeof channels.$inferSelect;

/** Columns that operators set. What is measured and spent is no action of anybody. */
const SET_BY_HAND = [
  'name',
  'type',
  'status',
  'base_url',
  'private_allowed',
  'openai_organization',
  'other',
  'models',
  'groups',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'test_model',
  'max_input_tokens',
  'auto_ban',
  'priority',
  'weight',
  'tag',
  'multi_key_mode',
  'expired_time',
] as const satisfies readonly (keyof Row)[];

/** Those of `names` that a row has; all without. */
export function recordOf(row: Partial<Row>, names: readonly string[] = SET_BY_HAND): JsonObject {
  const shown = shownSecrets(row);
  const told: JsonObject = {};
  for (const name of SET_BY_HAND) {
    const value: Json | undefined = shown[name];
    if (value !== undefined && names.includes(name)) told[name] = value;
  }
  return told;
}

/** What a row is given, as a change: also a secret, of which both sides are shown alike. */
export const recordedChanges = (row: Row, given: Partial<Row>): Changes => ({
  ...Object.fromEntries(changedSecrets(row, given).map((name) => [name, SECRET_CHANGED])),
  ...changesBetween(recordOf(row, Object.keys(given)), recordOf(given)),
});
