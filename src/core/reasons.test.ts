import { describe, expect, it } from 'bun:test';
import { keptReason, type Reason, readReason, reasonText } from './reasons.ts';

const again: Reason = {
  code: 'again',
  because: { code: 'coded', values: { status: 401, name: 'invalid_api_key' }, said: 'Incorrect {said}' },
};

describe('a reason', () => {
  it('is told in the reader’s language, with the upstream’s own words as a quotation', () => {
    expect(reasonText(again)).toEqual({
      zh: '连续失败：上游返回 401（invalid_api_key）：“Incorrect {said}”',
      en: 'fails again and again: 401 invalid_api_key: Incorrect {said}',
    });
    expect(reasonText({ code: 'slow', values: { seconds: '7.0' } }).zh).toBe('响应过慢：7.0 秒');
    expect(reasonText({ code: 'tls', detail: 'EPROTO' })).toEqual({
      zh: 'TLS 握手失败（EPROTO）',
      en: 'TLS failed (EPROTO)',
    });
  });

  it('comes back as it was kept', () => {
    const kept: unknown = JSON.parse(JSON.stringify(keptReason(again)));
    const read = readReason(kept);
    expect(read && reasonText(read)).toEqual(reasonText(again));
  });

  it.each([['expired'], [null], [{}], [{ code: 'toString' }], [{ code: 5 }]])(
    'is none of what was kept before there were codes: %p',
    (kept) => expect(readReason(kept)).toBeNull(),
  );
});
