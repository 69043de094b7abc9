/**
 * Points that stand in a larger story, whose test proves them where that story is told: the file, and the words of its
 * tests. Some have a test of their own here as well, which looks at them from all sides.
 */
export interface Proof {
  file: string;
  /** Of the test, or of what it stands in. */
  tests: readonly string[];
}

/** The points of which a file here has tests, by its text. */
export const pointsIn = (text: string): number[] =>
  [...text.matchAll(/\b(?:point|nameOf|holds)\(\s*(\d+)\b/g)].map(([, number]) => Number(number));

export const ELSEWHERE: Readonly<Record<number, readonly Proof[]>> = {
  6: [
    {
      file: 'tests/browser/build.test.ts',
      tests: ['keeps what every page loads, and what each adds, within their weights'],
    },
  ],
  9: [{ file: 'tests/browser/login-weight.test.ts', tests: ['is no more than it may be: '] }],
  // What a finger takes; the mouse's share is measured with every page.
  14: [{ file: 'tests/browser/touch.test.ts', tests: [''] }],
  28: [
    {
      file: 'tests/browser/phone.test.ts',
      tests: ['works with the keyboard alone at ', 'works with a finger, and with taps for who cannot drag'],
    },
  ],
  31: [{ file: 'web/locales/locales.test.ts', tests: [''] }],
  32: [{ file: 'src/core/money.test.ts', tests: [''] }],
  37: [
    {
      file: 'tests/browser/tables.test.ts',
      tests: ['are shown, put in order and made as wide as one likes, by mouse and by keyboard, and stay so'],
    },
  ],
  45: [{ file: 'web/locales/spec-words.test.ts', tests: [''] }],
  52: [
    {
      file: 'tests/browser/channel-many.test.ts',
      tests: [
        'tests all channels in the background, with progress, a result a row, and what failed again',
        'shows a job on other pages and after a reload, and stops it when asked',
      ],
    },
  ],
  55: [{ file: 'web/features/log/bill.test.ts', tests: [''] }],
  57: [
    {
      file: 'tests/browser/first-call.test.ts',
      tests: ['the first answered call takes twelve interactions'],
    },
  ],
  60: [
    {
      file: 'tests/browser/print.test.ts',
      tests: ['a bill on paper is the sheet of its row alone', 'the terms on paper are text alone'],
    },
  ],
};
