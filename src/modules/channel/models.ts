/** Which channel types and models there are: those that providers name, those that channels serve, those that a user may call. */
import { sql } from 'drizzle-orm';
import type { Locale } from '../../core/text.ts';
import { rowsOf, textList } from '../../db/statement.ts';
import type { ProviderForm } from '../../providers/provider.ts';
import { MODELS_MADE_SEC, modelOwners, providers } from '../../providers/registry.ts';
import type { Deps } from '../deps.ts';
import { usableGroups } from '../group/service.ts';

type Reads = Pick<Deps, 'db'>;

const names = async (rows: Promise<unknown>): Promise<string[]> =>
  rowsOf<{ model: string }>(await rows).map(({ model }) => model);

/** Models of enabled channels, sorted. */
export const enabledModels = ({ db }: Reads): Promise<string[]> =>
  names(db.orm.execute(sql`select distinct model_name as model from abilities where enabled order by 1`));

/** Models that a user of this group may call, in any group that he may use or in the one that is asked for; sorted. */
export function usableModels(
  { db, options }: Pick<Deps, 'db' | 'options'>,
  userGroup: string,
  group = '',
): Promise<string[]> {
  const usable = [...usableGroups(options, userGroup).keys()];
  const groups = textList(group === '' ? usable : usable.filter((name) => name === group));
  return names(
    db.orm.execute(sql`
      select distinct model_name as model from abilities
      where enabled and group_name = any(${groups}::text[]) order by 1`),
  );
}

/** Models by the number of the channel type that offers them. */
export const modelsByType = (): Record<string, readonly string[]> =>
  Object.fromEntries(providers.map(({ type, models }) => [type, models]));

/** A channel type as its form is drawn from. */
export interface ChannelType {
  type: number;
  label: string;
  /** Its own address; empty when the operator must give one. */
  base_url: string;
  models: readonly string[];
  form: ProviderForm;
  /** Whether its upstream can be asked for its models. */
  lists_models: boolean;
  /** Whether its upstream tells what is left on the account. */
  tells_balance: boolean;
}

export const channelTypes = (locale: Locale): ChannelType[] =>
  providers.map(({ type, label, zhLabel = label, baseUrl, models, form, listModels, balance }) => ({
    type,
    label: locale === 'zh' ? zhLabel : label,
    base_url: baseUrl ?? '',
    models,
    form,
    lists_models: listModels !== undefined,
    tells_balance: balance !== undefined,
  }));

interface KnownModel {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  permission: [];
  root: string;
  parent: null;
}

/** Every model that a provider names or a channel lists, as OpenAI lists models. */
export async function knownModels({ db }: Reads): Promise<KnownModel[]> {
  const listed = await names(db.orm.execute(sql`select distinct unnest(models) as model from channels`));
  return [...new Set([...modelOwners.keys(), ...listed])]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((id) => ({
      id,
      object: 'model',
      created: MODELS_MADE_SEC,
      owned_by: modelOwners.get(id)?.slug ?? 'custom',
      permission: [],
      root: id,
      parent: null,
    }));
}
