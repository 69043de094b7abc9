import { expect, it } from 'bun:test';
import fc from 'fast-check';
import { repeatedName } from './json-repeats.ts';

it.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', null],
  ['{"a":"a","b":"a"}', null],
  ['["a","a",{"x":["a","a"]}]', null],
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"x":[{"y":{"k":1,"l":"},{\\"","k":2}}]}', 'k'],
  ['{"x":["b"],"x":1}', 'x'],
  ['{"":1, "":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('%s', (text, name) => {
  expect(repeatedName(text)).toBe(name);
});

it('finds none in what a program has written, and one where a name is written again', () => {
  fc.assert(
    fc.property(fc.object({ key: fc.string(), maxDepth: 4 }), fc.string(), (value, name) => {
      expect(repeatedName(JSON.stringify(value, null, 1))).toBeNull();
      const inner = JSON.stringify(value);
      const twice = `{${JSON.stringify(name)}:${inner},${JSON.stringify(name)}:0}`;
      expect(repeatedName(`[{"x":${twice}}]`)).toBe(name);
    }),
  );
});
