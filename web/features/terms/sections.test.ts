import { describe, expect, it } from 'bun:test';
import { sectionsOf } from './sections.ts';

const plain = (text: string) =>
  sectionsOf(text).map(({ paragraphs, ...rest }) => ({
    ...rest,
    paragraphs: paragraphs.map((one) => one.text),
  }));

describe('the sections of a document', () => {
  it('begin with their headings, and hold paragraphs that empty lines part', () => {
    expect(plain('Before.\n\n# One\nfirst\nline two\n\nsecond\n# Two\n\n\nthird\r\n')).toEqual([
      { id: 's0', title: '', paragraphs: ['Before.'] },
      { id: 's1', title: 'One', paragraphs: ['first\nline two', 'second'] },
      { id: 's2', title: 'Two', paragraphs: ['third'] },
    ]);
  });

  it('take only a mark at the beginning of a line, with its space, for a heading', () => {
    expect(plain('#hash\n\na # b')).toEqual([{ id: 's0', title: '', paragraphs: ['#hash', 'a # b'] }]);
    expect(plain('# Only')).toEqual([{ id: 's1', title: 'Only', paragraphs: [] }]);
    expect(plain('')).toEqual([]);
  });

  it('have names of their own, also where the text repeats itself', () => {
    const ids = sectionsOf('# A\nx\n\nx\n# A\nx').flatMap(({ id, paragraphs }) => [
      id,
      ...paragraphs.map((one) => one.id),
    ]);
    expect(new Set(ids).size).toBe(5);
  });
});
