import { expect, it } from 'bun:test';
import { bytesKeptBy } from '../../../tests/support/heap.ts';
import { parseObject } from '../../core/json.ts';
import { MIB } from '../../core/limits/sizes.ts';
import { readRealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import { Conversation } from './session-context.ts';
import { Wish } from './session-wish.ts';

it.each(['input', 'instructions'])(
  'a wish keeps no text of its event, such as its %s, beyond what it counts',
  (field) => {
    const text = `${'x'.repeat(4 * MIB)}一`;
    const input = [{ type: 'message', content: [{ type: 'input_text', text }] }];
    const response = { conversation: 'none', [field]: field === 'input' ? input : text };
    const event = JSON.stringify({ type: 'response.create', response });
    const make = () => {
      const sent = readRealtimeSent(parseObject(event) ?? {});
      if (!sent.asks) throw new Error('asks for nothing');
      return new Wish(sent, sent.asks, new Conversation('gpt-realtime'));
    };
    // Of several a stray text that the engine has not let go of yet is no large part.
    const kept = bytesKeptBy(() => Array.from({ length: 8 }, make));
    expect(kept).toBeLessThan(8 * (make().keptBytes + MIB));
  },
);
