import { describe, expect, it } from 'bun:test';
import { parseCidrs, readEnv, requireOutgoingCalls } from './env.ts';

const refusalOf = (source: Record<string, string>): string => {
  try {
    readEnv(source);
  } catch (error) {
    return String(error);
  }
  return 'accepted';
};

describe('the environment', () => {
  it('needs nothing', () => {
    expect(readEnv({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      DATABASE_URL: '',
      WORKERS: 1,
      LOG_LEVEL: 'info',
      TRUSTED_PROXIES: parseCidrs('127.0.0.1/32,::1/128'),
    });
  });

  it('takes empty for unset', () => {
    expect(readEnv({ PORT: '', LOG_LEVEL: '', TRUSTED_PROXIES: '' })).toEqual(readEnv({}));
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['WORKERS', '0'],
    ['WORKERS', '1.5'],
    ['DATABASE_URL', 'mysql://db/x'],
    ['REDIS_URL', 'localhost:6379'],
    ['SERVER_ADDRESS', 'gateway.example'],
    ['SECRET_KEY', 'short'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['PRIVATE_EGRESS', 'everything'],
    ['LOG_LEVEL', 'loud'],
    ['SMTP_URL', 'https://mail'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(refusalOf({ [name]: value })).toContain(`\n${name}: `);
  });

  it('names every wrong value at once', () => {
    const refusal = refusalOf({ PORT: 'x', LOG_LEVEL: 'loud' });
    expect(refusal).toContain('\nPORT: ');
    expect(refusal).toContain('\nLOG_LEVEL: ');
  });

  it('does not repeat a value that may be secret', () => {
    expect(refusalOf({ SECRET_KEY: 'hunter2' })).not.toContain('hunter2');
    expect(refusalOf({ DATABASE_URL: 'mysql://user:hunter2@db/x' })).not.toContain('hunter2');
  });

  it('lets several workers share only a Postgres', () => {
    expect(refusalOf({ WORKERS: '2' })).toContain('WORKERS: ');
    expect(readEnv({ WORKERS: '2', DATABASE_URL: 'postgres://db/x' }).WORKERS).toBe(2);
  });

  it('cuts slashes off the end of the public address', () => {
    expect(readEnv({ SERVER_ADDRESS: 'https://gateway.example//' }).SERVER_ADDRESS).toBe(
      'https://gateway.example',
    );
  });
});

describe('the bound of outgoing calls', () => {
  it.each(['', '256', '1023', 'many'])('refuses %p', (value) => {
    expect(() => requireOutgoingCalls({ BUN_CONFIG_MAX_HTTP_REQUESTS: value })).toThrow(
      'BUN_CONFIG_MAX_HTTP_REQUESTS: ',
    );
  });

  it('accepts enough', () => {
    expect(() => requireOutgoingCalls({ BUN_CONFIG_MAX_HTTP_REQUESTS: '1024' })).not.toThrow();
  });
});
