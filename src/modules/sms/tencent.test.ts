import { describe, expect, it } from 'bun:test';
import { tencentAuthorization } from './tencent.ts';

const body = '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}';
const call = { service: 'cvm', body, timestamp: 1_551_113_065 };
const headers = { 'content-type': 'application/json; charset=utf-8', host: 'cvm.tencentcloudapi.com' };

describe('the signature of Tencent Cloud', () => {
  it('is that of the published example', () => {
    const accessKey = 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE';
    const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';
    expect(tencentAuthorization({ ...call, headers }, { accessKey, secretKey })).toBe(
      `TC3-HMAC-SHA256 Credential=${accessKey}/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168`,
    );
  });

  it('is that of the newer example, which signs the action too and shows its key as asterisks', () => {
    const stars = '*'.repeat(32);
    const signed = { ...headers, 'x-tc-action': 'describeinstances' };
    expect(
      tencentAuthorization({ ...call, headers: signed }, { accessKey: `AKID${stars}`, secretKey: stars }),
    ).toEndWith(
      'SignedHeaders=content-type;host;x-tc-action, Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f',
    );
  });
});
