/** Claude's names as Anthropic has them, and as Bedrock has them in a region. */
import { own } from '../../core/own.ts';

type Area = 'us' | 'eu' | 'ap';

const EVERYWHERE: readonly Area[] = ['us', 'eu', 'ap'];

interface BedrockModel {
  id: string;
  /** Areas with a profile that serves the model from several of their regions. */
  profiles: readonly Area[];
  /** Still served, so that it is worth offering. */
  isCurrent?: boolean;
}

const current = (id: string, profiles = EVERYWHERE): BedrockModel => ({ id, profiles, isCurrent: true });
const retired = (id: string, profiles: readonly Area[] = []): BedrockModel => ({ id, profiles });

const MODELS: Readonly<Record<string, BedrockModel>> = {
  'claude-opus-4-7': current('anthropic.claude-opus-4-7'),
  'claude-opus-4-6': current('anthropic.claude-opus-4-6-v1'),
  'claude-sonnet-4-6': current('anthropic.claude-sonnet-4-6'),
  'claude-opus-4-5-20251101': current('anthropic.claude-opus-4-5-20251101-v1:0'),
  'claude-sonnet-4-5-20250929': current('anthropic.claude-sonnet-4-5-20250929-v1:0'),
  'claude-haiku-4-5-20251001': current('anthropic.claude-haiku-4-5-20251001-v1:0'),
  'claude-opus-4-1-20250805': current('anthropic.claude-opus-4-1-20250805-v1:0', ['us']),
  'claude-opus-4-20250514': current('anthropic.claude-opus-4-20250514-v1:0', ['us']),
  'claude-sonnet-4-20250514': current('anthropic.claude-sonnet-4-20250514-v1:0'),
  'claude-3-7-sonnet-20250219': current('anthropic.claude-3-7-sonnet-20250219-v1:0'),
  'claude-3-5-haiku-20241022': current('anthropic.claude-3-5-haiku-20241022-v1:0', ['us']),
  'claude-3-5-sonnet-20241022': current('anthropic.claude-3-5-sonnet-20241022-v2:0', ['us', 'ap']),
  'claude-3-5-sonnet-20240620': current('anthropic.claude-3-5-sonnet-20240620-v1:0'),
  'claude-3-haiku-20240307': current('anthropic.claude-3-haiku-20240307-v1:0'),
  'claude-3-opus-20240229': retired('anthropic.claude-3-opus-20240229-v1:0', ['us']),
  'claude-3-sonnet-20240229': retired('anthropic.claude-3-sonnet-20240229-v1:0', EVERYWHERE),
  'claude-2.1': retired('anthropic.claude-v2:1'),
  'claude-2.0': retired('anthropic.claude-v2'),
  'claude-instant-1.2': retired('anthropic.claude-instant-v1'),
};

export const BEDROCK_MODELS: readonly string[] = Object.keys(MODELS).filter(
  (name) => MODELS[name]?.isCurrent,
);

const PREFIXES: Readonly<Record<string, string>> = { us: 'us.', eu: 'eu.', ap: 'apac.' };

/** The id for a region; a name that is not listed is taken for an id, or the ARN of a profile. */
export function bedrockId(model: string, region: string): string {
  const known = own(MODELS, model);
  if (!known) return model;
  const [area = ''] = region.split('-');
  return (known.profiles as readonly string[]).includes(area) ? `${PREFIXES[area]}${known.id}` : known.id;
}

/** Makers of ids like `us.amazon.nova-pro-v1:0`; an ARN names none and is taken for Claude's. */
const MAKER = /^(?:[a-z]{2,6}(?:-[a-z]+)?\.)?([a-z0-9]+)\./;

/** Whether a model takes Anthropic's bodies. All others are asked by Converse. */
export function isClaude(model: string): boolean {
  const maker = model.startsWith('arn:') ? null : MAKER.exec(model)?.[1];
  return !maker || maker === 'anthropic' || Object.hasOwn(MODELS, model) || model.startsWith('claude');
}
