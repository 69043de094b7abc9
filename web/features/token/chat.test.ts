import { describe, expect, it } from 'bun:test';
import {
  type ChatSettings,
  chatErrors,
  chatOptions,
  messagesOf,
  picturesOf,
  type Question,
  type Turn,
  wireMessages,
} from './chat.ts';

const settings: ChatSettings = {
  model: 'gpt-4o',
  group: '',
  system: '',
  temperature: '',
  maxTokens: '',
  answer: 'streamed',
};
const ask = (text: string): Question => ({ text, pictures: [] });
const turn = (question: string, answer: string): Turn => ({
  id: 0,
  question: ask(question),
  answer,
  thinking: 'hm',
  tools: [],
  state: 'done',
  result: null,
  error: null,
});

describe('a conversation', () => {
  it('begins with the instruction and ends with the question', () => {
    const turns = [turn('one?', '1'), turn('lost?', ''), turn('two?', '2')];
    expect(messagesOf({ ...settings, system: ' Be brief. ' }, turns, ask('three?'))).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one?' },
      { role: 'assistant', content: '1' },
      { role: 'user', content: 'two?' },
      { role: 'assistant', content: '2' },
      { role: 'user', content: 'three?' },
    ]);
    expect(messagesOf(settings, [], ask('hi'))).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('shows pictures again with each question', () => {
    const cat = { name: 'cat.png', type: 'image/png', data: 'Y2F0', bytes: 3 };
    const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,Y2F0' } };
    const turns = [{ ...turn('', 'A cat.'), question: { text: '', pictures: [cat] } }];
    expect(wireMessages(messagesOf(settings, turns, { text: 'And now?', pictures: [cat] }))).toEqual([
      { role: 'user', content: [shown] },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }, shown] },
    ]);
    expect(picturesOf(turns)).toEqual([cat]);
  });

  it('sends only the settings that were made', () => {
    expect(chatOptions(settings)).toEqual({});
    expect(chatOptions({ ...settings, temperature: '0', maxTokens: ' 50 ' })).toEqual({
      temperature: 0,
      max_tokens: 50,
    });
  });

  it('names settings that no model takes', () => {
    expect(chatErrors({ ...settings, temperature: '2', maxTokens: '1' })).toEqual({});
    for (const temperature of ['-1', '2.1', 'warm']) {
      expect(chatErrors({ ...settings, temperature })).toEqual({ temperature: 'chat.temperatureBad' });
    }
    for (const maxTokens of ['0', '1.5', 'many', '10000001']) {
      expect(chatErrors({ ...settings, maxTokens })).toEqual({ maxTokens: 'chat.maxTokensBad' });
    }
  });
});
