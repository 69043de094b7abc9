/** Signatures against fixed vectors: keys, times and bodies in, the exact signature out. */
import { describe, expect, it } from 'bun:test';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { awsEncode, signAwsCall } from './aws-sigv4.ts';
import { googleGrant } from './google-jwt.ts';
import { signTencentCall } from './tencent-tc3.ts';
import { TokenCache } from './token-cache.ts';
import { signXunfeiUrl } from './xunfei-url.ts';
import { zhipuToken } from './zhipu-jwt.ts';

const AT = new Date(1_700_000_000_000);

describe('upstream signatures', () => {
  it('signs a Tencent call by TC3', () => {
    const body = '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"hi"}],"Stream":false}';
    const headers = signTencentCall(
      {
        host: 'hunyuan.tencentcloudapi.com',
        service: 'hunyuan',
        action: 'ChatCompletions',
        version: '2023-09-01',
        body,
        at: AT,
      },
      { secretId: 'testSecretId', secretKey: 'testSecretKey' },
    );
    expect(headers.authorization).toBe(
      'TC3-HMAC-SHA256 Credential=testSecretId/2023-11-14/hunyuan/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=23125af767748bfb9bd5d37305ac9d059d51f8842a8923abacf3cbcbe0a39838',
    );
    expect(headers['x-tc-timestamp']).toBe('1700000000');
  });

  it('signs a Bedrock call by SigV4, with the path encoded twice in the canonical request', () => {
    const path = `/model/${awsEncode('anthropic.claude-3-haiku-20240307-v1:0')}/invoke`;
    expect(path).toBe('/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke');
    const headers = signAwsCall(
      {
        method: 'POST',
        host: 'bedrock-runtime.us-east-1.amazonaws.com',
        path,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: '{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}',
        service: 'bedrock',
        at: AT,
      },
      { accessKeyId: 'AKID', secretAccessKey: 'testSecretAccessKey', region: 'us-east-1' },
    );
    expect(headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKID/20231114/us-east-1/bedrock/aws4_request, SignedHeaders=accept;content-type;host;x-amz-date, Signature=9b3084b1d2d17568ab88b9558317d31b7035633405a224e46c68ff88932a5e50',
    );
    expect(headers['x-amz-date']).toBe('20231114T221320Z');
  });

  it('signs the address of a Xunfei socket', () => {
    const url = new URL(
      signXunfeiUrl(
        'spark-api.xf-yun.com',
        '/v3.5/chat',
        { apiKey: 'testApiKey', apiSecret: 'testApiSecret' },
        AT,
      ),
    );
    expect(url.searchParams.get('authorization')).toBe(
      'YXBpX2tleT0idGVzdEFwaUtleSIsIGFsZ29yaXRobT0iaG1hYy1zaGEyNTYiLCBoZWFkZXJzPSJob3N0IGRhdGUgcmVxdWVzdC1saW5lIiwgc2lnbmF0dXJlPSJvSTZhcDQybW0raVloTDljeWo3Q2x1ZVVJRTluczNNTllIb2pjbEFzZ3JnPSI=',
    );
    expect(url.searchParams.get('date')).toBe('Tue, 14 Nov 2023 22:13:20 GMT');
  });

  it('makes a Zhipu token', () => {
    expect(zhipuToken('testid', 'testsecret', AT.getTime())).toBe(
      'eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoidGVzdGlkIiwiZXhwIjoxNzAwMDg2NDAwMDAwLCJ0aW1lc3RhbXAiOjE3MDAwMDAwMDAwMDB9.IBTEcaGK4AZZE7Yafa1d0L6FDgswFbzEf6AbsvzhO7E',
    );
  });

  it('signs a Google grant that the public key verifies, also with escaped line breaks', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n');
    const account = { project_id: 'p', client_email: 'a@p.iam', private_key: pem, private_key_id: 'kid1' };
    const form = new URLSearchParams(googleGrant(account, 'https://token.example', 1_700_000_000));
    const [head = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    expect(
      createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url'),
    ).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: 'a@p.iam',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://token.example',
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    });
  });
});

describe('TokenCache', () => {
  it('fetches once for callers that come together and again after the end of its life', async () => {
    const cache = new TokenCache();
    let fetched = 0;
    const fetchToken = async () => ({ value: `t${++fetched}`, reuseUntil: 1_000 });
    expect(await Promise.all([cache.get('k', fetchToken, 0), cache.get('k', fetchToken, 0)])).toEqual([
      't1',
      't1',
    ]);
    expect(await cache.get('k', fetchToken, 999)).toBe('t1');
    expect(await cache.get('k', fetchToken, 1_000)).toBe('t2');
    cache.drop('k');
    expect(await cache.get('k', fetchToken, 0)).toBe('t3');
  });

  it('does not remember a failed fetch', async () => {
    const cache = new TokenCache();
    await expect(cache.get('k', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('k', async () => ({ value: 'ok', reuseUntil: Number.MAX_SAFE_INTEGER }))).toBe(
      'ok',
    );
  });

  it('forgets all tokens when there are more than it keeps', async () => {
    const cache = new TokenCache();
    let fetched = 0;
    const get = (key: string) =>
      cache.get(key, async () => ({ value: `t${++fetched}`, reuseUntil: Number.MAX_SAFE_INTEGER }));
    for (let n = 0; n < 10_000; n++) await get(`k${n}`);
    expect(await get('k0')).toBe('t1');
    await get('one more');
    expect(await get('k0')).toBe('t10002');
    expect(await get('one more')).toBe('t10001');
  });
});
