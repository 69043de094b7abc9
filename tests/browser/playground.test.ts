/** People try a model on the token page. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, PHONE, type Site, type Visitor } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let site: Site;
let upstream: Upstream;
let user: TestUser;

beforeAll(async () => {
  [site, upstream] = await Promise.all([openSite(), startUpstream({ words: 6 })]);
  const root = await site.api.root();
  await site.api.deps.options.set({
    ModelRatio: '{"gpt-4o":1,"o3":1}',
    CompletionRatio: '{"gpt-4o":1,"o3":1}',
  });
  const channel = { type: 1, key: 'sk-up', base_url: upstream.base };
  for (const more of [
    { name: 'mock', models: 'gpt-4o', group: 'default' },
    { name: 'vip', models: 'o3', group: 'vip' },
  ]) {
    expect((await root.post('/api/channel/', { ...channel, ...more })).message).toBe('');
  }
  user = await site.api.createUser({ username: 'una', quota: 5_000_000 });
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await upstream.close();
});

const arrive = async (options: Parameters<Site['visit']>[0] = {}): Promise<Visitor> => {
  const visitor = await site.visit({ user, locale: 'en', ...options });
  await visitor.goto('/token/chat');
  return visitor;
};
const say = async ({ page }: Visitor, text: string) => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
};
const log = ({ page }: Visitor) => page.getByRole('log', { name: 'Conversation' });

describe('the playground', () => {
  it('opens from the token page, and is ready to be written in', async () => {
    const visitor = await site.visit({ user, locale: 'en' });
    await visitor.goto('/token');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('dialog', { name: 'Playground' }).waitFor();
    expect(page.url()).toEndWith('/token/chat');
    await page.locator('textarea:focus').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(visitor.complaints).toEqual([]);
  });

  it('holds a conversation, and says what each answer took', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await say(visitor, 'How are you?');
    await log(visitor).getByText('w0 w1 w2 w3 w4 w5').waitFor();
    await log(visitor)
      .getByText(/17 in \/ 6 out/)
      .waitFor();
    // 17 and 6 tokens at a ratio of 1, which is 2 dollars a million.
    await log(visitor).getByText('$0.000046').waitFor();
    expect(upstream.chats.at(-1)?.body).toMatchObject({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: 'How are you?' }],
    });
    await say(visitor, 'And now?');
    await page
      .getByText(/17 in \/ 6 out/)
      .nth(1)
      .waitFor();
    expect(upstream.chats.at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'How are you?' },
      { role: 'assistant', content: expect.stringContaining('w5') },
      { role: 'user', content: 'And now?' },
    ]);
    const [found] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'In the log' }).last().click(),
    ]);
    await found.getByText('playground-default').filter({ visible: true }).first().waitFor();
    await page.getByRole('button', { name: 'Clear the conversation' }).click();
    await page.getByText('Choose a model and send it a message.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('asks as it was set, and refuses what no model takes', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await page.getByText('Settings', { exact: true }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.');
    await page.getByRole('textbox', { name: 'Temperature' }).fill('3');
    await page.getByText('A number from 0 to 2').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('hi');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Temperature' }).fill('0.2');
    await page.getByRole('textbox', { name: 'Max tokens' }).fill('50');
    await page.getByRole('button', { name: 'At once' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await log(visitor).getByText(/17 in/).waitFor();
    const { body } = upstream.chats.at(-1) ?? {};
    expect(body).toMatchObject({
      temperature: 0.2,
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
    expect(body).not.toHaveProperty('group');
  });

  inLong.it('offers the models of the group that is chosen, and asks there', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await page.getByRole('combobox', { name: 'Group' }).selectOption('vip');
    const model = page.getByRole('combobox', { name: 'Model' });
    await page.waitForFunction(
      (select) => select instanceof HTMLSelectElement && select.value === 'o3',
      await model.elementHandle(),
    );
    await say(visitor, 'hi');
    await log(visitor).getByText(/17 in/).waitFor();
    expect(upstream.chats.at(-1)?.model).toBe('o3');
  });

  it('stops an answer in the middle, and goes on', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    upstream.next.push('endless');
    await say(visitor, 'Go on.');
    await log(visitor).getByText(/w0/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped; what was produced is charged.').waitFor();
    await say(visitor, 'Again.');
    await log(visitor).getByText(/17 in/).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('says in the relay’s words why a call was refused, and leaves that turn out of the next', async () => {
    const visitor = await arrive();
    upstream.next.push('400');
    await say(visitor, 'bad');
    await log(visitor)
      .getByText(/The call failed: /)
      .waitFor();
    await say(visitor, 'good');
    await log(visitor).getByText(/17 in/).waitFor();
    expect(upstream.chats.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'good' }]);
  });

  it('asks the last question again in the place of its answer', async () => {
    const visitor = await arrive();
    upstream.next.push('400');
    await say(visitor, 'once more');
    await log(visitor)
      .getByText(/The call failed: /)
      .waitFor();
    await log(visitor).getByRole('button', { name: 'Ask again' }).click();
    await log(visitor).getByText(/17 in/).waitFor();
    expect(await log(visitor).getByText('once more').count()).toBe(1);
    expect(
      await log(visitor)
        .getByText(/The call failed/)
        .count(),
    ).toBe(0);
    expect(upstream.chats.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'once more' }]);
  });

  it('leads whoever has nothing left to his wallet, and names the request once', async () => {
    const poor = await site.api.createUser({ username: 'poor', quota: 0 });
    const visitor = await arrive({ user: poor });
    await say(visitor, 'hi');
    const told = log(visitor).getByText(/The call failed: /);
    await told.waitFor();
    const [id = ''] = (await told.textContent())?.match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/) ?? [];
    expect((await told.textContent())?.split(id)).toHaveLength(2);
    await log(visitor).getByText('Your balance is too small for this call').waitFor();
    await log(visitor).getByRole('link', { name: 'To the wallet' }).click();
    await visitor.page.waitForURL('**/topup');
  });

  it('shows the conversation as programs for a token', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await say(visitor, 'How are you?');
    await log(visitor).getByText(/17 in/).waitFor();
    await page.getByRole('tab', { name: 'Code' }).click();
    const code = () => page.getByRole('tabpanel', { name: 'OpenAI SDK' }).textContent();
    expect(await code()).toContain('"How are you?"');
    expect(await code()).toContain(`${site.base}/v1`);
    await page.getByRole('tab', { name: 'curl' }).click();
    const curl = await page.getByRole('region', { name: 'curl' }).textContent();
    expect(curl).toContain('"content":"How are you?"');
    expect(curl).not.toContain('group');
    await page.getByRole('tab', { name: 'Chat' }).click();
    await log(visitor).getByText('How are you?').waitFor();
  });

  describe('with pictures', () => {
    /** The smallest GIF that there is. */
    const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const shown = { type: 'image_url', image_url: { url: `data:image/gif;base64,${GIF}` } };
    const file = (name: string) => ({
      name,
      mimeType: 'image/gif',
      buffer: Buffer.from(GIF, 'base64'),
    });
    const attach = ({ page }: Visitor, ...files: ReturnType<typeof file>[]) =>
      page.locator('input[type=file]').setInputFiles(files);
    const chosen = ({ page }: Visitor) => page.getByRole('list', { name: 'Pictures of this message' });

    /** Brings a picture to an element as the system does: over the clipboard, or dragged from a folder. */
    const bring = ({ page }: Visitor, kind: 'paste' | 'drop') =>
      page.getByRole('textbox', { name: 'Message' }).evaluate(
        (field, [how, text]) => {
          const files = new DataTransfer();
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          files.items.add(new File([bytes], 'image.gif', { type: 'image/gif' }));
          const bubbles = { bubbles: true, cancelable: true };
          field.dispatchEvent(
            how === 'paste'
              ? new ClipboardEvent('paste', { ...bubbles, clipboardData: files })
              : new DragEvent('drop', { ...bubbles, dataTransfer: files }),
          );
        },
        [kind, GIF] as const,
      );

    it('shows them to the model, chosen, pasted and dropped, and again with each question', async () => {
      const visitor = await arrive();
      const { page } = visitor;
      await attach(visitor, file('cat.gif'), file('dog.gif'));
      await chosen(visitor).getByRole('img', { name: 'dog.gif' }).waitFor();
      await page.getByRole('button', { name: 'Remove dog.gif' }).click();
      await bring(visitor, 'paste');
      await chosen(visitor).getByRole('img', { name: 'image.gif' }).waitFor();
      await bring(visitor, 'drop');
      await chosen(visitor).getByRole('img', { name: 'image-2.gif' }).waitFor();
      await say(visitor, 'What is this?');
      await log(visitor).getByText(/17 in/).waitFor();
      expect(await chosen(visitor).count()).toBe(0);
      const asked = {
        role: 'user',
        content: [{ type: 'text', text: 'What is this?' }, shown, shown, shown],
      };
      expect(upstream.chats.at(-1)?.body.messages).toEqual([asked]);
      expect(await log(visitor).getByRole('img').count()).toBe(3);
      await say(visitor, 'And now?');
      await page.getByText(/17 in/).nth(1).waitFor();
      expect(upstream.chats.at(-1)?.body.messages).toEqual([
        asked,
        { role: 'assistant', content: expect.stringContaining('w5') },
        { role: 'user', content: 'And now?' },
      ]);
      expect(visitor.complaints).toEqual([]);
    });

    inLong.it('takes a question that is a picture alone, and asks it again as it was', async () => {
      const visitor = await arrive();
      const { page } = visitor;
      await attach(visitor, file('cat.gif'));
      await chosen(visitor).waitFor();
      upstream.next.push('400');
      await page.getByRole('button', { name: 'Send' }).click();
      await log(visitor)
        .getByText(/The call failed: /)
        .waitFor();
      await log(visitor).getByRole('button', { name: 'Ask again' }).click();
      await log(visitor).getByText(/17 in/).waitFor();
      expect(upstream.chats.at(-1)?.body.messages).toEqual([{ role: 'user', content: [shown] }]);
      await page.getByRole('tab', { name: 'Code' }).click();
      expect(await page.getByRole('tabpanel', { name: 'OpenAI SDK' }).textContent()).toContain(
        'open("cat.gif", "rb")',
      );
    });

    it('says which cannot go, and why', async () => {
      const visitor = await arrive();
      const { page } = visitor;
      /** Made in the page: that much need not be brought to it. */
      const attachLarge = (files: readonly (readonly [name: string, type: string, bytes: number])[]) =>
        page.locator('input[type=file]').evaluate((input, wanted) => {
          const brought = new DataTransfer();
          for (const [name, type, bytes] of wanted)
            brought.items.add(new File([new Uint8Array(bytes)], name, { type }));
          if (input instanceof HTMLInputElement) input.files = brought.files;
          input.dispatchEvent(new Event('change', { bubbles: true }));
        }, files);
      const most = 5 * 1024 * 1024;
      await attachLarge([
        ['huge.png', 'image/png', most + 1],
        ['drawing.svg', 'image/svg+xml', 10],
      ]);
      await page.getByText('huge.png is larger than 5 MB').waitFor();
      await page.getByText('drawing.svg: only pictures in PNG, JPEG, GIF or WebP can be sent').waitFor();
      expect(await chosen(visitor).count()).toBe(0);
      await attachLarge(['1.png', '2.png', '3.png', '4.png'].map((name) => [name, 'image/png', most - 1]));
      await page.getByText('4.png: the pictures of a conversation may have 15 MB together').waitFor();
      expect(await chosen(visitor).getByRole('img').count()).toBe(3);
    });

    it('has one bound for those that are pasted before the first are read', async () => {
      const visitor = await arrive();
      const { page } = visitor;
      await page.getByRole('textbox', { name: 'Message' }).evaluate((field) => {
        for (const names of [
          ['1.png', '2.png'],
          ['3.png', '4.png'],
        ]) {
          const clipboardData = new DataTransfer();
          const bytes = new Uint8Array(5 * 1024 * 1024 - 1);
          for (const name of names) clipboardData.items.add(new File([bytes], name, { type: 'image/png' }));
          field.dispatchEvent(
            new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }),
          );
        }
      });
      await page.getByText('4.png: the pictures of a conversation may have 15 MB together').waitFor();
      expect(await chosen(visitor).getByRole('img').count()).toBe(3);
    });
  });

  it('keeps its settings in one line on the phone, until they are wanted', async () => {
    const visitor = await arrive({ width: PHONE });
    const { page } = visitor;
    const model = page.getByRole('combobox', { name: 'Model' });
    expect(await model.isVisible()).toBe(false);
    // What stands over it is read to its end.
    const told = page.getByText(/^Charged to your balance/);
    expect(await told.evaluate((line) => line.scrollWidth - line.clientWidth)).toBe(0);
    const line = page.getByRole('button', { name: 'Model and settings: gpt-4o' });
    await line.click();
    await model.waitFor();
    await page.getByText('Settings', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Temperature' }).fill('9');
    await line.click();
    // What is wrong stays in sight.
    await page.getByText('A number from 0 to 2').waitFor();
    await page.getByRole('textbox', { name: 'Temperature' }).fill('');
    await page.getByRole('combobox', { name: 'Model' }).waitFor({ state: 'hidden' });
  });

  it('breaks the line with Shift and Enter', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Message' }).fill('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('one\ntwo');
  });
});

describe.each(['chat', 'code'])('the drawer on its tab %s', (tab) => {
  looksRight({
    name: `playground-${tab}`,
    async open(locale) {
      const visitor = await arrive({ locale, stays: true });
      const { page } = visitor;
      await page.locator('textarea').last().fill('hi');
      await page.keyboard.press('Enter');
      await page.getByText(/w0 w1 w2/).waitFor();
      await page.locator('[role=log][aria-busy=false]').waitFor();
      await page.locator('summary').last().click();
      if (tab === 'code') await page.getByRole('tab').nth(1).click();
      return visitor;
    },
  });
});
