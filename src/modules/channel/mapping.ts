/** The models of a channel by the names that its upstream gets. */
import { fail } from '../../core/errors.ts';
import { own } from '../../core/own.ts';
import { asIs } from '../../core/text.ts';

/**
 * Each model with the end of its chain of mappings; one that maps to itself ends there. Every entry is looked at once,
 * however long the chains are. Throws CHANNEL_MAPPING_LOOP.
 */
export function followMapping(mapping: Readonly<Record<string, string>>): Record<string, string> {
  const ends = new Map<string, string>();
  for (const model of Object.keys(mapping)) {
    const passed = new Set<string>();
    let at = model;
    for (;;) {
      const known = ends.get(at);
      const next = known ?? own(mapping, at);
      if (next === undefined || next === at) break;
      passed.add(at);
      if (passed.has(next)) throw fail('CHANNEL_MAPPING_LOOP', { params: { model: asIs(model) } });
      at = next;
    }
    for (const each of passed) ends.set(each, at);
    ends.set(model, at);
  }
  return Object.fromEntries(ends);
}
