import { expect, it } from 'bun:test';
import { LEVELS_MAX } from '../../core/json-depth.ts';
import { PartialArgs } from './partial-args.ts';

it('arguments stand in one another as their paths say, and no deeper than anybody reads', () => {
  const args = new PartialArgs();
  args.add([
    { jsonPath: '$.a[0].b', stringValue: 'x', willContinue: true },
    { jsonPath: '$.a[0].b', stringValue: 'y' },
    { jsonPath: `$${'.z'.repeat(LEVELS_MAX * 200)}`, stringValue: 'deep' },
  ]);
  expect(args.json).toBe('{"a":[{"b":"xy"}]}');
});
