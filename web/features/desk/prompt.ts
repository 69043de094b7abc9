/** Recommended prompts as the calls answer them, and their form: its values, its rules, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import { isClientVersion } from '@core/client-version.ts';
import { isWebAddress } from '@core/web-address.ts';
import {
  FACET_TYPE,
  isDemoPath,
  type Platform,
  PROMPT_INSTRUCTION_MAX,
  PROMPT_LIST_MAX,
  PROMPT_TAG_MAX,
  PROMPT_TITLE_MAX,
  PROMPT_TOOLS,
} from '@modules/prompt/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';

export type Prompt = DataOf<'get', '/api/prompt/suggest/admin'>[number];

const NAME_MAX = 40;

/** What a prompt is called: its title, or how its instruction begins. */
export const nameOf = ({ title, instruction }: Prompt): string => title || instruction.slice(0, NAME_MAX);

const isOwnTool = (name: string): name is (typeof PROMPT_TOOLS)[number] =>
  PROMPT_TOOLS.some((tool) => tool === name);

/** Tools of the client by their words, others by their names. */
export const toolText = (name: string, t: TFunction): string =>
  isOwnTool(name) ? t(`prompt.mcp.${name}`) : name;

export interface PromptValues {
  title: string;
  platform: Platform[];
  version: string;
  mcp: string[];
  /** Demo paths. */
  facets: string[];
  instruction: string;
  tags: string[];
  link: string;
}

export const valuesOf = (prompt: Prompt | null): PromptValues => ({
  title: prompt?.title ?? '',
  platform: prompt?.platform ?? [],
  version: prompt?.version ?? '',
  mcp: prompt?.mcp ?? [],
  facets: prompt?.facets.map(({ path }) => path) ?? [],
  instruction: prompt?.instruction ?? '',
  tags: prompt?.tags ?? [],
  link: prompt?.result_link ?? '',
});

/** A line that was left empty is none. */
const pathsOf = (facets: readonly string[]): string[] => facets.map((path) => path.trim()).filter(Boolean);

export function promptErrors(
  { title, version, facets, instruction, tags, link }: PromptValues,
  t: TFunction,
): FieldErrors<PromptValues> {
  const said = instruction.trim();
  const areTags = tags.length <= PROMPT_LIST_MAX && tags.every((tag) => lengthOf(tag) <= PROMPT_TAG_MAX);
  const isVersion = version.trim() === '' || isClientVersion(version.trim());
  const isLink = link.trim() === '' || isWebAddress(link.trim());
  return {
    title: lengthOf(title.trim()) <= PROMPT_TITLE_MAX ? undefined : t('prompt.titleBad'),
    version: isVersion ? undefined : t('prompt.versionBad'),
    facets: pathsOf(facets).every(isDemoPath) ? undefined : t('prompt.facetBad'),
    instruction:
      said !== '' && lengthOf(said) <= PROMPT_INSTRUCTION_MAX ? undefined : t('prompt.instructionBad'),
    tags: areTags ? undefined : t('prompt.tagsBad', { most: PROMPT_LIST_MAX, max: PROMPT_TAG_MAX }),
    link: isLink ? undefined : t('prompt.linkBad'),
  };
}

export const bodyOf = ({ title, platform, version, mcp, facets, instruction, tags, link }: PromptValues) => ({
  title: title.trim(),
  platform,
  version: version.trim(),
  mcp,
  facets: pathsOf(facets).map((path) => ({ type: FACET_TYPE, path }) as const),
  instruction: instruction.trim(),
  tags,
  result_link: link.trim(),
});
