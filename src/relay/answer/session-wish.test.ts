import { describe, expect, it, spyOn } from 'bun:test';
import { bytesKeptBy } from '../../../tests/support/heap.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { MIB } from '../../core/limits/sizes.ts';
import { readRealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import { KeptText } from '../charge/kept-text.ts';
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

describe('a wish that reads what it brings along', () => {
  /** A session that is told so, and is asked for one. */
  function open(session: JsonObject) {
    const conversation = new Conversation('gpt-realtime');
    const tell = (more: JsonObject) =>
      conversation.add(readRealtimeSent({ type: 'session.update', session: more }));
    tell(session);
    const input = [{ type: 'message', content: [{ type: 'input_text', text: 'own' }] }];
    const sent = readRealtimeSent({ type: 'response.create', response: { conversation: 'none', input } });
    if (!sent.asks) throw new Error('asks for nothing');
    return { conversation, tell, wish: new Wish(sent, sent.asks, conversation) };
  }

  it('reads the most that its session was told while it waited', () => {
    const { conversation, tell, wish } = open({ instructions: 'x'.repeat(400) });
    const kept = wish.keptBytes;
    tell({ instructions: 'x'.repeat(4_000) });
    wish.setAnew();
    tell({ instructions: 'x' });
    wish.setAnew();
    const { text } = conversation.mostCounted(wish.begin());
    expect(text).toBeGreaterThan(4_000 / 4);
    // The words that the session has no more are kept for it alone.
    expect(wish.keptBytes).toBeGreaterThan(kept + 2 * 4_000);
  });

  it('puts its words together when it begins, and not each time that its session is told something', () => {
    const { tell, wish } = open({ instructions: 'x'.repeat(300_000), odd: 'y'.repeat(300_000) });
    tell({ odd: 'more' });
    const copied = spyOn(KeptText.prototype, 'with');
    for (let n = 0; n < 10; n++) wish.setAnew();
    expect(copied).not.toHaveBeenCalled();
    wish.begin();
    expect(copied).toHaveBeenCalled();
    copied.mockRestore();
  });
});
