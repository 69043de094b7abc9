import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { translatorFor } from '@/lib/translator-for.ts';
import {
  bodyOf,
  newUserErrors,
  readAddition,
  selfBodyOf,
  selfErrors,
  type UserValues,
  userErrors,
} from './form.ts';
import { obstacleTo, type User } from './user.ts';

const t = translatorFor('en');

const values: UserValues = {
  username: 'ann',
  displayName: 'Ann',
  password: '',
  group: 'default',
  quota: '500',
  remarks: '',
};
const said = (errors: object) => Object.values(errors).filter(Boolean);

describe('the forms of a user', () => {
  it('speak the words of the specification', () => {
    expect(said(newUserErrors({ username: ' ', displayName: '', password: 'Passw0rd1' }, t))).toEqual([
      'Username and password must not be empty!',
    ]);
    expect(said(newUserErrors({ username: 'ann', displayName: '', password: '' }, t))).toEqual([
      'Username and password must not be empty!',
    ]);
    expect(
      said(newUserErrors({ username: 'x'.repeat(13), displayName: '', password: 'short12' }, t)),
    ).toEqual(['The username may have at most 12 characters', 'The password must have 8 to 20 characters']);
    expect(said(userErrors(values, t))).toEqual([]);
    expect(said(userErrors({ ...values, quota: '-1' }, t))).toEqual(['A whole number of quota units']);
  });

  it('ask for the present password with a new one, which needs letters and digits', () => {
    const self = { username: 'ann', displayName: '', password: '', originalPassword: '' };
    expect(said(selfErrors(self, true, t))).toEqual([]);
    expect(said(selfErrors({ ...self, password: 'lettersonly' }, true, t))).toEqual([
      'The password must have letters and digits and 8 to 20 characters!',
      'Please enter your current password',
    ]);
    const changed = { ...self, password: 'Passw0rd2', originalPassword: 'Passw0rd1' };
    expect(said(selfErrors(changed, true, t))).toEqual([]);
    // Who came by a third party has none to give.
    expect(said(selfErrors({ ...changed, originalPassword: '' }, false, t))).toEqual([]);
    expect(selfBodyOf(changed, self)).toEqual({ password: 'Passw0rd2', original_password: 'Passw0rd1' });
  });

  it('send only what was changed', () => {
    expect(bodyOf(values, values)).toEqual({});
    expect(bodyOf({ ...values, quota: '700', remarks: ' vip ' }, values)).toEqual({
      quota: 700,
      quota_before: 500,
      remarks: 'vip',
    });
  });
});

describe('quota to add', () => {
  it('is any whole number but 0', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (units) => {
        expect(readAddition(` ${units} `)).toBe(units === 0 ? null : units);
      }),
    );
    expect(readAddition('+5')).toBe(5);
    expect(readAddition('−5')).toBe(-5);
    for (const text of ['', '0', '1.5', '1e3', 'five', '9007199254740993', '--5']) {
      expect(readAddition(text)).toBe(null);
    }
  });
});

describe('what is in the way of an action', () => {
  const user = (role: number, id = 7) => ({ id, role }) as User;
  const root = { id: 1, role: 100 };
  const admin = { id: 2, role: 10 };

  it('is the rank of whom it is about', () => {
    expect(obstacleTo('disable', admin, user(1))).toBeUndefined();
    expect(obstacleTo('disable', admin, user(10))).toBe('user.sameLevel');
    expect(obstacleTo('edit', admin, user(100))).toBe('user.sameLevel');
    expect(obstacleTo('disable', root, user(10))).toBeUndefined();
    expect(obstacleTo('delete', root, user(100, 1))).toBe('user.rootProtected');
    expect(obstacleTo('demote', root, user(100, 1))).toBe('user.rootProtected');
  });

  it('is that only root promotes, and only ordinary users', () => {
    expect(obstacleTo('promote', admin, user(1))).toBe('user.onlyRootPromotes');
    expect(obstacleTo('promote', root, user(1))).toBeUndefined();
    expect(obstacleTo('promote', root, user(10))).toBe('user.alreadyAdmin');
    expect(obstacleTo('demote', root, user(1))).toBe('user.alreadyUser');
    expect(obstacleTo('demote', root, user(10))).toBeUndefined();
  });
});
