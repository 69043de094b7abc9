/** Addresses of services that an option may replace by another. */

export const GITHUB_URL = 'https://github.com';
export const LINUXDO_URL = 'https://connect.linux.do';
export const ALIYUN_SMS_URL = 'https://dysmsapi.aliyuncs.com';
export const TENCENT_SMS_URL = 'https://sms.tencentcloudapi.com';
