import { describe, expect, it } from 'bun:test';
import { changedText, groupRows, groupTexts } from './groups.ts';

const ratios = '{"default": 1, "vip": 0.5}';
const usable = '{"default": "Everyone", "old": ""}';

describe('groups as rows', () => {
  it('are those of both options', () => {
    expect(groupRows({ ratios, usable })).toEqual([
      { name: 'default', ratio: '1', description: 'Everyone', usable: true },
      { name: 'vip', ratio: '0.5', description: '', usable: false },
      { name: 'old', ratio: '', description: '', usable: true },
    ]);
  });

  it('and say the same when they become texts again', () => {
    const texts = groupTexts(groupRows({ ratios, usable }) ?? []);
    expect(JSON.parse(texts.ratios)).toEqual(JSON.parse(ratios));
    expect(JSON.parse(texts.usable)).toEqual(JSON.parse(usable));
    expect(changedText(ratios, texts.ratios)).toBe(ratios);
  });

  it('are none where a text is no map of ratios or words', () => {
    expect(groupRows({ ratios: '{', usable })).toBeNull();
    expect(groupRows({ ratios: '[]', usable })).toBeNull();
    expect(groupRows({ ratios: '{"default": {}}', usable })).toBeNull();
    expect(groupRows({ ratios, usable: '{"default": 1}' })).toBeNull();
  });

  it('keep a ratio as it was typed, and let nothing else into the text', () => {
    const row = { name: 'g', description: '', usable: false };
    const text = (ratio: string) => groupTexts([{ ...row, ratio }]).ratios;
    expect(text('0.100000000001')).toContain('"g": 0.100000000001');
    expect(JSON.parse(text('007.5'))).toEqual({ g: 7.5 });
    expect(JSON.parse(text('1, "h": 2'))).toEqual({ g: '1, "h": 2' });
    expect(groupTexts([{ ...row, name: ' ', ratio: '1' }]).ratios).toBe('{}');
    const twice = [
      { ...row, ratio: '1' },
      { ...row, name: 'g ', ratio: '2' },
    ];
    expect(JSON.parse(groupTexts(twice).ratios)).toEqual({ g: 1 });
  });
});
