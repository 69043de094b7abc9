import { describe, expect, it } from 'bun:test';
import { fieldWords } from './field-words.ts';

describe('a field in words', () => {
  it.each(['key', 'code'])('is told as it is spelled where calls mean several things by it: %s', (name) => {
    expect(fieldWords(name)).toEqual({ asIs: name });
  });

  it('is the first part of a path that nobody has words for', () => {
    expect(fieldWords('models.0.price')).toEqual({ zh: '模型', en: 'models' });
  });
});
