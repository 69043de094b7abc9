import { describe, expect, it } from 'bun:test';
import { bringing, type CodeFile, keysBrought, keysIn } from './client-texts.ts';

const known = new Set([
  'log.title',
  'log.type.2',
  'log.type.6',
  'log.type.6.help',
  'user.deleteTitle',
  'user.deleteBody',
  'user.enableTitle',
]);
const found = (code: string) => [...keysIn(code, known)].sort();

describe('the keys in a module', () => {
  it('are those that stand in it whole, wherever they do', () => {
    expect(found("t('log.title')")).toEqual(['log.title']);
    expect(found('const LABELS = { all: "log.title", none: `user.deleteBody` }; x(LABELS.all)')).toEqual([
      'log.title',
      'user.deleteBody',
    ]);
    expect(found("const a = 'log.nothing', b = 'log', c = /log.title/")).toEqual([]);
  });

  it('are all that fit a template, of which a hole fills one part, and the last all that is left', () => {
    expect(found(`t(\`log.type.\${type}\`)`)).toEqual(['log.type.2', 'log.type.6', 'log.type.6.help']);
    expect(found(`t(\`log.\${what}.6\`)`)).toEqual(['log.type.6']);
    expect(found(`t(\`user.\${action}Title\`)`)).toEqual(['user.deleteTitle', 'user.enableTitle']);
    expect(found(`show(\`log.type.\${type}.help\`)`)).toEqual(['log.type.6.help']);
    expect(found(`\`\${name}.title\``)).toEqual([]);
  });

  it.each([
    "t('log.nothing')",
    "t('log.' + name)",
    `t(\`\${name}.title\`)`,
    `t(\`nothing.\${name}\`)`,
    `t$1(\`nothing.\${name}\`)`,
    "context.t('log.nothing')",
  ])('must be known from the code: %s', (code) => {
    expect(() => keysIn(code, known)).toThrow(code);
  });

  it('may come from elsewhere: whoever has them there brings them', () => {
    expect(found('t(label); t(isOn ? labels.on : labels[n]); split("log.nothing")')).toEqual([]);
  });
});

const files = (all: Record<string, [imports: string[], keys: string[]]>) =>
  new Map(
    Object.entries(all).map(([name, [imports, keys]]): [string, CodeFile] => [
      name,
      { imports, keys: new Set(keys) },
    ]),
  );

describe('what a file brings', () => {
  it('is what its code has and nothing that it imports brings', () => {
    const brought = keysBrought(
      files({
        shell: [[], ['a', 'b']],
        part: [['shell'], ['a', 'c']],
        page: [
          ['part', 'shell'],
          ['d', 'c', 'b'],
        ],
        other: [['shell'], ['c']],
      }),
    );
    expect(Object.fromEntries(brought)).toEqual({
      shell: ['a', 'b'],
      part: ['c'],
      page: ['d'],
      other: ['c'],
    });
  });

  it('misses nothing where two import each other', () => {
    const brought = keysBrought(files({ one: [['two'], ['a']], two: [['one'], ['a', 'b']] }));
    expect(Object.fromEntries(brought)).toEqual({ one: ['a'], two: ['a', 'b'] });
  });

  it('is code that adds to what is there, and runs in no page that lacks one', () => {
    const code = bringing(['a', 'b'], { a: 'first', b: '{n} of {all}' });
    const scope: { consoleTexts?: Record<string, unknown> } = { consoleTexts: { c: 'third' } };
    new Function('globalThis', code)(scope);
    expect(scope.consoleTexts).toMatchObject({ a: 'first', c: 'third' });
    expect(Object.keys(scope.consoleTexts ?? {})).toEqual(['c', 'a', 'b']);
    expect(bringing([], {})).toBe('');
    expect(() => bringing(['a'], {})).toThrow('a');
  });
});
