#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypto/public_key.h"
#include "failure.h"
#include "files.h"
#include "millrace/tdf_keys.h"
#include "options.h"
#include "secret_input.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct KeygenOptions {
  std::string algorithm = "rsa:2048";
  std::string output;
  std::string public_key;
  bool force = false;
};

struct PublicKeyOptions {
  std::string input;
  std::string output;
  bool force = false;
};

bool exists(const std::string& path) {
  struct stat st;
  return ::lstat(path.c_str(), &st) == 0;
}

Overwrite overwrite(bool force) { return force ? Overwrite::kYes : Overwrite::kNo; }

void keygen(KeygenOptions& options) {
  if (options.public_key.empty() && !is_stdout(options.output)) options.public_key = options.output + ".pub";
  if (options.public_key == "-" && is_stdout(options.output))
    fail(kExitUsage, "both keys to standard output; give -o FILE");
  if (!is_stdout(options.output) && options.public_key == options.output)
    fail(kExitUsage, fmt::format("{}: two keys for one file", options.output));
  // Neither is written when one of them is in the way.
  for (const std::string* path : {&options.output, &options.public_key}) {
    if (!is_stdout(*path) && !options.force && exists(*path))
      fail(kExitUsage, fmt::format("{}: the file exists; use --force to replace it", *path));
  }
  const tdf::KeyPair pair = value_or_fail(tdf::generate_key_pair(options.algorithm), "kas keygen");
  const bool is_new = !is_stdout(options.output) && !exists(options.output);
  write_output(options.output, pair.private_key.reveal(), overwrite(options.force), Privacy::kOwnerAlways);
  if (options.public_key.empty()) return;
  try {
    write_output(options.public_key, as_bytes(pair.public_key), overwrite(options.force), Privacy::kShared);
  } catch (const Failure&) {
    if (is_new) ::unlink(options.output.c_str());  // both or neither
    throw;
  }
}

void public_key(const PublicKeyOptions& options) {
  const std::string name = options.input.empty() ? "-" : options.input;
  const SecretInput input = read_private_key(name);
  const PrivateKey key = value_or_fail(PrivateKey::parse(input.bytes.reveal()), name,
                                       "expected an RSA or EC private key without a passphrase, PEM or DER");
  warn_about_private_key(name, input);
  write_output(options.output, as_bytes(key.public_key().pem()), overwrite(options.force), Privacy::kShared);
}

}  // namespace

void add_kas(CLI::App& app) {
  CLI::App* group = app.add_subcommand("kas", "Keys that TDF files are encrypted to and opened with");
  group->require_subcommand(1);
  group->footer(
      "A key access server has such a pair; so can a lone user, who then needs no server.\n"
      "Example:\n  millrace kas keygen -o kas.pem\n  millrace kas public-key kas.pem -o kas.pem.pub");

  CLI::App* verb = group->add_subcommand("keygen", "Make a key pair");
  auto options = std::make_shared<KeygenOptions>();
  verb->add_option("--algorithm", options->algorithm,
                   "rsa:2048, rsa:4096, ec:secp256r1, ec:secp384r1 or ec:secp521r1; default: rsa:2048")
      ->type_name("NAME")
      ->check(CLI::IsMember({"rsa:2048", "rsa:4096", "ec:secp256r1", "ec:secp384r1", "ec:secp521r1"}));
  verb->add_option("--output,-o", options->output, "private key, PEM, mode 0600; - or nothing: standard output")
      ->type_name("OUT")
      ->check(not_empty());
  verb->add_option("--public-key", options->public_key, "public key, PEM; default: OUT.pub")
      ->type_name("FILE")
      ->check(not_empty());
  verb->add_flag("--force,-f", options->force, "replace existing files");
  verb->footer(
      "Example:\n  millrace kas keygen -o kas.pem\n"
      "  millrace kas keygen --algorithm ec:secp256r1 -o ec.pem --public-key ec-public.pem");
  verb->callback([options] { keygen(*options); });

  verb = group->add_subcommand("public-key", "Print the public key of a private key");
  auto of = std::make_shared<PublicKeyOptions>();
  verb->add_option("FILE", of->input, "private key: FILE, fd:N or env:NAME; - or nothing: standard input")
      ->check(not_empty());
  verb->add_option("--output,-o", of->output, "output file; - or nothing: standard output")
      ->type_name("OUT")
      ->check(not_empty());
  verb->add_flag("--force,-f", of->force, "replace an existing output file");
  verb->footer("Example:\n  millrace kas public-key kas.pem > kas.pem.pub");
  verb->callback([of] { public_key(*of); });
}

}  // namespace millrace::cli
