import { describe, expect, it } from 'bun:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { type Drawn, pdfOf } from '../../tests/support/pdf.ts';
import { MeasuringBudget } from './measuring-budget.ts';
import { pdfSize } from './pdf-size.ts';

const page = (text: string): Drawn => ({ text: `BT /F1 12 Tf (${text}) Tj ET` });

describe('a usual PDF', () => {
  it.each([false, true])('is its pages and the letters that they show, packed: %p', (packed) => {
    const file = pdfOf([page('Hello'), page('wor\\)ld'), { text: 'BT [(a) -250 <00480069>] TJ ET' }], {
      packed,
    });
    expect(pdfSize(file)).toEqual({ pages: 3, shownBytes: 6 + 9 + 2 + 2 });
  });

  it('may hold pictures, fonts and notes', () => {
    const extra = [
      { dictionary: '/Type /XObject /Subtype /Image /Filter /DCTDecode', data: Buffer.from('ÿØ(((((') },
      { dictionary: '/Length1 5000 /Filter /FlateDecode', data: deflateSync(Buffer.alloc(5_000, 40)) },
      { dictionary: '/Type /Annot /Contents (a note) /E (x)', data: Buffer.alloc(0) },
    ];
    expect(pdfSize(pdfOf([page('Hello')], { extra }))).toEqual({ pages: 1, shownBytes: 6 + 7 + 2 });
  });

  it('is counted by every drawing of its forms', () => {
    const extra = [
      { dictionary: '/Type /XObject /Subtype /Form', data: Buffer.from('BT (0123456789) Tj ET') },
    ];
    const drawing = { text: '/Fm0 Do '.repeat(50) };
    expect(pdfSize(pdfOf([drawing], { extra }))?.shownBytes).toBe(50 * 11);
  });

  it('is counted by every page that shows the same', () => {
    expect(
      pdfSize(
        pdfOf(
          Array.from({ length: 40 }, () => ({ shared: true })),
          { shared: 'BT (same) Tj ET' },
        ),
      ),
    ).toEqual({
      pages: 40,
      shownBytes: 40 * 5,
    });
  });

  it('is never smaller than it is', () => {
    const word = fc.stringMatching(/^[a-z ]{0,40}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.boolean(), (words, packed) => {
        const size = pdfSize(pdfOf(words.map(page), { packed }));
        expect(size?.pages).toBe(words.length);
        expect(size?.shownBytes ?? 0).toBeGreaterThanOrEqual(words.join('').length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('nothing is known of', () => {
  const one = pdfOf([page('Hello')]).toString('latin1');
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, 'BT (x) Tj ET '));

  it.each<[what: string, file: Buffer]>([
    ['what is none', Buffer.from('PK\u0003\u0004 and so on')],
    ['one that is locked', Buffer.from(one.replace('trailer <<', 'trailer << /Encrypt 9 0 R'))],
    ['pages that are listed elsewhere', Buffer.from(one.replace(/\/Kids \[[^\]]*\]/, '/Kids 7 0 R'))],
    ['pages that are listed twice', Buffer.from(one.replace(/\/Kids \[([^\]]*)\]/, '/Kids [$1 $1]'))],
    ['contents behind a remark', Buffer.from(one.replace('/Contents ', '/Contents % see\n'))],
    ['contents that are listed elsewhere', Buffer.from(one.replace(/\/Contents (\d+)/, '/Contents 99'))],
    [
      'contents in a name of numbers, behind a remark',
      Buffer.from(one.replace('/Contents ', '/C#6fntents %\n')),
    ],
    ['an object within a stream', Buffer.from(one.replace('(Hello)', '(Hello) \n9 0 obj\n'))],
    ['a stream without an end', Buffer.from(one.replaceAll('endstream', ''))],
    [
      'fonts of drawings',
      pdfOf([page('a')], { extra: [{ dictionary: '/Type /Font /Subtype /Type3', data: Buffer.alloc(0) }] }),
    ],
    [
      'letters that are books',
      pdfOf([page('a')], {
        extra: [
          {
            dictionary: '',
            data: Buffer.from(`begincmap beginbfchar <01> <${'0041'.repeat(99)}> endbfchar`),
          },
        ],
      }),
    ],
    [
      'a word that is read as a book',
      pdfOf([page('a')], {
        extra: [{ dictionary: `/ActualText (${'word '.repeat(99)})`, data: Buffer.alloc(0) }],
      }),
    ],
    [
      'forms that draw forms',
      pdfOf([{ text: '/A Do' }], {
        extra: [{ dictionary: '/Subtype /Form', data: Buffer.from('BT (a) Tj ET /B Do /B Do') }],
      }),
    ],
    ['contents that are packed twice', pdfOf([page('a')], { filter: '[/FlateDecode /FlateDecode]' })],
    ['contents that are packed otherwise', pdfOf([page('a')], { filter: '/LZWDecode' })],
    ['contents that unpack to more than anybody reads', pdfOf([{ raw: bomb }], { filter: '/FlateDecode' })],
    ['contents that do not unpack', pdfOf([{ raw: Buffer.from('no') }], { filter: '/FlateDecode' })],
  ])('%s', (_, file) => {
    expect(pdfSize(file)).toBeNull();
  });

  const packed = (inner: string) => {
    const head = '%PDF-1.5\n1 0 obj\n<</Type/ObjStm/Filter/FlateDecode>>stream\n';
    const data = deflateSync(Buffer.from(inner));
    return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream\nendobj')]);
  };

  it.each([
    ['letters that are numbers', packed('#41'.repeat(1_000_000))],
    ['references', packed('/Contents[1 0 R]'.repeat(200_000))],
    ['lists of pages', packed('/Kids[1 0 R]'.repeat(200_000))],
    ['words that are read', packed('/E(a)'.repeat(200_000))],
    ['pages', packed('/Type/Page '.repeat(200_000))],
    ['notes', packed('/Contents('.repeat(200_000))],
    ['emptiness', packed('0'.repeat(16 * 1024 * 1024))],
    ['objects', Buffer.from(`%PDF-1.5\n${'1 0 objs '.repeat(200_000)}stream\nendstream`)],
    ['streams', Buffer.from(`%PDF-1.5\n${'1 0 obj stream\nendstream '.repeat(200_000)}`)],
  ])('more %s than anybody looks at, and it uses up the budget', (_, file) => {
    const budget = new MeasuringBudget();
    expect(pdfSize(file, budget)).toBeNull();
    expect(budget.left).toBe(0);
    expect(pdfSize(pdfOf([page('Hello')]), budget)).toBeNull();
  });
});

describe('a file of any length', () => {
  const MIB = 1024 * 1024;
  const shapes: Record<string, string> = {
    figures: '1'.repeat(MIB),
    slashes: '/'.repeat(MIB),
    spaces: ' '.repeat(MIB),
    'numbers of letters': '#'.repeat(MIB),
    'pages in a list without an end': `/Kids [${'1 0 R '.repeat(MIB / 6)}`,
    'contents in a list without an end': `/Contents[${'1 1 R '.repeat(MIB / 6)}`,
    'texts without an end': 'BT '.repeat(MIB / 3),
    'objects without an end': '1 0 obj '.repeat(MIB / 8),
    filters: `1 0 obj<</Filter[${'/a'.repeat(MIB / 2)}>>stream\nendstream`,
    'filters with an end': `1 0 obj<</Filter[${'/a'.repeat(MIB / 2)}]>>stream\nendstream`,
    'a stream of figures': `1 0 obj<<>>stream\n${' 1'.repeat(MIB / 2)}endstream`,
    'codes of letters': `1 0 obj<<>>stream\nbegincmap ${'<0'.repeat(MIB / 2)}endstream`,
  };

  /** The longest text that a pattern is given meanwhile, which takes it some nanoseconds a letter, or far more. */
  function longestLook(work: () => void): number {
    const { exec } = RegExp.prototype;
    let longest = 0;
    RegExp.prototype.exec = function (text) {
      longest = Math.max(longest, text.length);
      return exec.call(this, text);
    };
    try {
      work();
    } finally {
      RegExp.prototype.exec = exec;
    }
    return longest;
  }

  it.each<[string, (text: string) => unknown]>([
    ['test', (text) => /a/.test(text)],
    ['exec', (text) => /a/.exec(text)],
    ['matchAll', (text) => [...text.matchAll(/a/g)]],
  ])('is seen where much of it is looked at: %s', (_, look) => {
    expect(longestLook(() => look('x'.repeat(300)))).toBe(300);
  });

  it.each(Object.entries(shapes))('is looked at by patterns a few letters at a time: %s', (_, text) => {
    const file = Buffer.from(`%PDF-1.7\n${text}`, 'latin1');
    expect(longestLook(() => pdfSize(file))).toBeLessThanOrEqual(256);
  });

  it.each(Object.entries(shapes))('costs by its bytes: %s', (_, text) => {
    const file = Buffer.from(`%PDF-1.7\n${text}`, 'latin1');
    const budget = new MeasuringBudget();
    const before = budget.left;
    pdfSize(file, budget);
    expect(before - budget.left).toBeGreaterThan(MIB / 4096);
  });

  it('may be large by its pictures', () => {
    const data = Buffer.alloc(MIB, 'JFIF\u0000\u00ff()<1 /F stream');
    const extra = Array.from({ length: 20 }, () => ({
      dictionary: '/Type /XObject /Subtype /Image /Width 2480 /Height 3508 /Filter /DCTDecode',
      data,
    }));
    const budget = new MeasuringBudget();
    const before = budget.left;
    expect(pdfSize(pdfOf([page('Hello')], { extra }), budget)).toEqual({ pages: 1, shownBytes: 6 });
    expect(before - budget.left).toBeLessThan(before / 4);
  });

  it('may have many pages', () => {
    const letters = 'Tm (some words) Tj '.repeat(300);
    for (const packed of [false, true]) {
      const pages = Array.from({ length: 500 }, () => page(letters));
      expect(pdfSize(pdfOf(pages, { packed }))?.pages).toBe(500);
    }
  });
});
