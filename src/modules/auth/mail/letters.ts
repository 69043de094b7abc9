/** What the sign-in pages write to people. */
import type { Locale } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { type AsIs, fill, type Text } from '../../../core/text.ts';
import type { Letter } from '../../mail/service.ts';

const CODE_MINUTES = limits.codeSec / 60;
const RESET_MINUTES = limits.resetSec / 60;

export const codeLetter = (site: string, code: string, locale: Locale): Letter =>
  locale === 'zh'
    ? {
        subject: `${site} 邮箱验证码`,
        text: `您好，您正在进行 ${site} 邮箱验证。\n\n您的验证码为：${code}\n\n验证码 ${CODE_MINUTES} 分钟内有效，只能使用一次。如果不是本人操作，请忽略此邮件。`,
      }
    : {
        subject: `Your ${site} verification code`,
        text: `Someone, hopefully you, wants to use this address at ${site}.\n\nYour code is: ${code}\n\nIt is valid for ${CODE_MINUTES} minutes and once. If this was not you, ignore this mail.`,
      };

/** To a mailbox that has an account: its owner learns what the caller must not. */
export const knownLetter = (site: string, locale: Locale): Letter =>
  locale === 'zh'
    ? {
        subject: `${site} 邮箱已注册`,
        text: `您好，有人想用此邮箱在 ${site} 注册或绑定账号，但此邮箱已属于一个账号，所以没有发送验证码。\n\n如果忘记了密码，请在登录页重置密码。如果不是本人操作，请忽略此邮件。`,
      }
    : {
        subject: `You already have an account at ${site}`,
        text: `Someone, hopefully you, wants to use this address at ${site}. It belongs to an account already, so there is no code.\n\nIf you have forgotten your password, reset it from the sign-in page. If this was not you, ignore this mail.`,
      };

export const resetLetter = (site: string, link: string, locale: Locale): Letter =>
  locale === 'zh'
    ? {
        subject: `${site} 密码重置`,
        text: `您好，您正在重置 ${site} 的密码。\n\n请打开以下链接：\n${link}\n\n链接 ${RESET_MINUTES} 分钟内有效，只能使用一次。如果不是本人操作，请忽略此邮件，您的密码不会改变。\n\n重置密码不会使令牌失效，登录后请检查“令牌”页中最近创建的令牌。`,
      }
    : {
        subject: `Reset your ${site} password`,
        text: `Someone, hopefully you, wants to reset your password at ${site}.\n\nOpen this link:\n${link}\n\nIt is valid for ${RESET_MINUTES} minutes and once. If this was not you, ignore this mail: your password stays as it is.\n\nA new password does not end API tokens: once you are in, look through those that were made lately.`,
      };

/** To the mailbox that an account has left. It does not say where the account went. */
export const movedLetter = (site: string, username: string, locale: Locale): Letter =>
  locale === 'zh'
    ? {
        subject: `${site} 邮箱已更换`,
        text: `您好，您在 ${site} 的账号 ${username} 已改用另一个邮箱，此邮箱不再用于登录和重置密码。\n\n如果不是本人操作，请立即登录修改密码，并联系管理员。`,
      }
    : {
        subject: `The email address of your ${site} account was changed`,
        text: `Your account ${username} at ${site} uses another email address now; this one no longer signs in or resets the password.\n\nIf this was not you, sign in and change your password at once, and contact the administrator.`,
      };

/** To the mailbox of an account that a third party's account opens from now on. */
export const partyLetter =
  (provider: Text | AsIs) =>
  (site: string, username: string, locale: Locale): Letter => {
    const named = (text: string) => fill({ zh: text, en: text }, { provider }, locale);
    return locale === 'zh'
      ? {
          subject: named(`${site} 绑定了 {provider} 账户`),
          text: named(
            `您好，一个 {provider} 账户从现在起可以登录您的账号 ${username}。\n\n如果不是本人操作，请立即登录，在个人设置的“第三方账户”中解绑它，并修改密码。`,
          ),
        }
      : {
          subject: named(`A {provider} account was bound at ${site}`),
          text: named(
            `A {provider} account can sign in to your account ${username} from now on.\n\nIf this was not you, sign in at once, unbind it under Connections in the personal settings, and change your password.`,
          ),
        };
  };

/** To the mailbox of an account that a passkey opens from now on. */
export const passkeyLetter = (site: string, username: string, locale: Locale): Letter =>
  locale === 'zh'
    ? {
        subject: `${site} 添加了通行密钥`,
        text: `您好，一个新的通行密钥从现在起可以登录您的账号 ${username}。\n\n如果不是本人操作，请立即登录，在个人设置中移除它，并修改密码。如果无法登录，请联系管理员。`,
      }
    : {
        subject: `A passkey was added at ${site}`,
        text: `A new passkey can sign in to your account ${username} from now on.\n\nIf this was not you, sign in at once, remove it in the personal settings, and change your password. If you cannot sign in, contact the administrator.`,
      };
