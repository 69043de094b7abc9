/** What is changed of all channels under a tag: an empty field leaves them as they are. */

import type { BodyOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { isWhole, jsonError, priorityError } from './form.ts';

export interface TagValues {
  /** Empty dissolves the tag. */
  newTag: string;
  models: string[];
  groups: string[];
  mapping: string;
  priority: string;
  weight: string;
}

export const untouched = (tag: string): TagValues => ({
  newTag: tag,
  models: [],
  groups: [],
  mapping: '',
  priority: '',
  weight: '',
});

export function tagErrors(values: TagValues, t: TFunction): FieldErrors<TagValues> {
  const { priority, weight } = values;
  return {
    mapping: jsonError(values.mapping, t),
    priority: priority.trim() === '' ? undefined : priorityError(priority, t),
    weight: weight.trim() === '' || isWhole(weight, 0) ? undefined : t('channel.weightBad'),
  };
}

/** The body of the change, without what stays; null when nothing would change. */
export function tagBody(tag: string, values: TagValues): BodyOf<'put', '/api/channel/tag'> | null {
  const newTag = values.newTag.trim();
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text));
  const changes: Omit<BodyOf<'put', '/api/channel/tag'>, 'tag'> = {
    new_tag: newTag === tag ? undefined : newTag,
    models: values.models.join(',') || undefined,
    groups: values.groups.join(',') || undefined,
    model_mapping: values.mapping.trim() || undefined,
    priority: number(values.priority),
    weight: number(values.weight),
  };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : { tag, ...Object.fromEntries(given) };
}
