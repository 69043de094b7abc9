import { describe, expect, it } from 'bun:test';
import { aliyunHeaders, canonicalQuery } from './aliyun.ts';

describe('the signature of Alibaba Cloud', () => {
  it('is that of the published example', () => {
    const query = canonicalQuery({
      RegionId: 'cn-shanghai',
      ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd',
    });
    const { authorization } = aliyunHeaders(
      {
        host: 'ecs.cn-shanghai.aliyuncs.com',
        action: 'RunInstances',
        version: '2014-05-26',
        query,
        date: '2023-10-26T10:22:32Z',
        nonce: '3156853299f313e23d1673dc12e1703d',
      },
      { accessKey: 'YourAccessKeyId', secretKey: 'YourAccessKeySecret' },
    );
    expect(authorization).toBe(
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
    );
  });

  it('encodes what it signs as RFC 3986 wants it, sorted by name', () => {
    expect(canonicalQuery({ b: "*'()!~", a: '网 +/', A: '' })).toBe(
      'A=&a=%E7%BD%91%20%2B%2F&b=%2A%27%28%29%21~',
    );
  });
});
