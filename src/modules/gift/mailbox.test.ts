import { describe, expect, it } from 'bun:test';
import { mailboxOf } from './mailbox.ts';

describe('the mailbox of an address', () => {
  it.each([
    ['una@example.com', 'una@example.com'],
    ['una+one@example.com', 'una@example.com'],
    ['una+one+two@example.com', 'una@example.com'],
    ['u.n.a@example.com', 'u.n.a@example.com'],
    ['u.n.a+x.y@gmail.com', 'una@gmail.com'],
    ['u.na@googlemail.com', 'una@gmail.com'],
    ['una@gmail.com.example', 'una@gmail.com.example'],
    ['+una@example.com', '+una@example.com'],
  ])('%s is %s', (address, mailbox) => {
    expect(mailboxOf(address)).toBe(mailbox);
  });
});
