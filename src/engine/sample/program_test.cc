#include "discreet/engine/sample/program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "discreet/engine/sample/answers.h"
#include "discreet/engine/sample/process.h"
#include "discreet/engine/sample/write_rules.h"
#include "discreet/mechanism/door.h"

namespace discreet::engine::sample {
namespace {

namespace fs = std::filesystem;

class Programs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "program-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string script(const std::string& text, const std::string& first = "#!/bin/bash") {
    const fs::path path = folder_ / ("script" + std::to_string(++scripts_));
    std::ofstream(path) << first << "\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  // The answer of a script on these rows.
  std::optional<std::string> ask(const std::string& text, const std::string& rows = "1,2\n",
                                 const Limits& limits = {.seconds = 5}) {
    const auto program = Program::open(
        {.path = script(text), .header = "id,x\n", .limits = limits, .hidden = hidden_});
    EXPECT_TRUE(program.has_value()) << program.error().text();
    return program->answer(rows);
  }

  fs::path folder_;
  std::vector<std::string> hidden_;
  int scripts_ = 0;
};

TEST_F(Programs, ReadTheHeaderAndTheRows) {
  EXPECT_EQ(ask("tr '\\n' ';'"), "id,x;1,2;");
  EXPECT_EQ(ask("wc -l | tr -d ' '", "1,2\n3,4\n"), "3");
  std::string rows;
  for (int i = 0; i < 300'000; ++i) rows += "1234567,7654321\n";
  EXPECT_EQ(ask("wc -l", rows), "300001");
}

TEST_F(Programs, TheFirstLineIsTheAnswer) {
  EXPECT_EQ(ask("echo '  red wine  '; echo more"), "red wine");
  EXPECT_EQ(ask("printf red"), "red");
}

TEST_F(Programs, WhatFails) {
  EXPECT_EQ(ask("echo red; exit 1"), std::nullopt);
  EXPECT_EQ(ask("true"), std::nullopt);
  EXPECT_EQ(ask("echo; echo red"), std::nullopt);
  EXPECT_EQ(ask("echo red >&2"), std::nullopt);
  EXPECT_EQ(ask("printf '\\xff\\xfe\\n'"), std::nullopt);
  EXPECT_EQ(ask("echo red; kill -SEGV $$; sleep 9"), std::nullopt);
  EXPECT_EQ(ask("head -c 2000 /dev/zero | tr '\\0' x"), std::nullopt);
  EXPECT_EQ(ask("yes red"), std::nullopt);  // would never end
}

TEST_F(Programs, TimeIsLimited) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ask("sleep 60; echo red", "", {.seconds = 0.3}), std::nullopt);
  // What it has started goes with it, also if that holds standard output open.
  EXPECT_EQ(ask("sleep 60 & sleep 60", "", {.seconds = 0.3}), std::nullopt);
  EXPECT_EQ(ask("setsid sleep 60 & echo red"), "red");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(Programs, MemoryIsLimited) {
  const std::string eats = "dd if=/dev/zero of=/dev/null bs=60M count=1 && echo eaten";
  EXPECT_EQ(ask(eats), "eaten");
  EXPECT_EQ(ask(eats, "", {.seconds = 5, .memory = std::size_t{50} << 20}), std::nullopt);
}

TEST_F(Programs, AnEnvironmentAndAFolderOfItsOwn) {
  setenv("DISCREET_TEST_SECRET", "17", 1);
  EXPECT_EQ(ask("env -0 | tr '\\0' '\\n' | grep -c SECRET; true"), "0");
  EXPECT_EQ(ask("env | cut -d= -f1 | grep -v -e _ -e PWD -e SHLVL | sort | tr '\\n' ' '"),
            "LANG PATH TMPDIR");
  EXPECT_EQ(ask("ls -A | wc -l"), "0");
  EXPECT_EQ(ask("echo x > here && cat here && ls -A"), "x");
  EXPECT_EQ(ask("ls -A $TMPDIR | wc -l"), "0");     // what another run wrote is gone
  EXPECT_EQ(ask("ls /proc/self/fd | wc -l"), "4");  // and the folder that is listed
}

TEST_F(Programs, WhatOnlyNamespacesKeepBack) {
  const auto program = Program::open({.path = script("true"), .header = ""});
  ASSERT_TRUE(program.has_value());
  if (!program->isolation().network || !program->isolation().files)
    GTEST_SKIP() << "no user namespaces here (a chroot, or the system's settings): there is "
                    "nothing of them to try; AreLimitedWithoutNamespacesToo tries the rest";
  EXPECT_EQ(ask("grep -c : /proc/net/dev"), "1");  // the loopback, which is down
  EXPECT_EQ(ask("(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo open || echo shut"), "shut");
  // Of all processes it sees the one that waits for it and those that it starts. The former is a
  // copy of ours, with everybody's rows in its memory, and can't be looked into.
  EXPECT_EQ(ask("ls -d /proc/[0-9]* | wc -l | tr '[345]' x"), "x");
  EXPECT_EQ(ask("head -c 1 /proc/1/environ >&2 && echo read || echo denied"), "denied");
  EXPECT_EQ(ask("head -c 1 /proc/self/environ >&2 && echo read || echo denied"), "read");
  const std::string outside = folder_ / "outside";
  EXPECT_EQ(ask("echo x > " + outside + "; mkdir " + outside + "2; echo done"), "done");
  EXPECT_FALSE(fs::exists(outside) || fs::exists(outside + "2"));
  // The file with everybody's rows is empty for it.
  std::ofstream(outside) << "secret\n";
  EXPECT_EQ(ask("wc -c < " + outside), "7");
  hidden_ = {outside};
  EXPECT_EQ(ask("wc -c < " + outside), "0");
  EXPECT_EQ(ask("umount " + outside + " 2>/dev/null; mount -o remount,rw / 2>/dev/null; wc -c < " +
                outside),
            "0");
}

// Where the kernel has no namespaces for us, the limits and the process group are what is left.
TEST_F(Programs, AreLimitedWithoutNamespacesToo) {
  const auto run = [&](const std::string& text, const Isolation& isolation) {
    const Confinement confinement(script(text), folder_, {}, {.seconds = 1}, isolation);
    auto process = Process::start(confinement, "id\n", "1\n");
    EXPECT_TRUE(process.has_value());
    EXPECT_EQ(process->started().step, Confinement::Step::kNone);
    return process->output(Process::Clock::now() + std::chrono::seconds(2), nullptr);
  };
  const bool calls = calls_can_be_denied(), pipes = landlock_version() > 0;
  const auto here = Program::open({.path = script("true"), .header = ""});
  ASSERT_TRUE(here.has_value());
  const bool network = here->isolation().network;  // also inside of a chroot there is none
  for (const Isolation& isolation : {Isolation{false, false}, Isolation{network, false},
                                     Isolation{false, false, calls, pipes}}) {
    EXPECT_EQ(run("tail -n 1", isolation), "1\n");
    EXPECT_EQ(run("sleep 60 & sleep 60", isolation), std::nullopt);
    EXPECT_EQ(run("sleep 61 & echo red", isolation), "red\n");
    EXPECT_EQ(run("ulimit -v", isolation), "2097152\n");
    EXPECT_EQ(run("ulimit -f; ulimit -c", isolation), "16384\n0\n");
    EXPECT_EQ(run("head -c 30000000 /dev/zero > big && echo written", isolation), std::nullopt);
    EXPECT_EQ(run("grep NoNewPrivs /proc/self/status | cut -f2", isolation), "1\n");
  }
  EXPECT_EQ(std::system("pgrep -x -f 'sleep 61' > /dev/null"), 256);  // it went with its group
}

TEST_F(Programs, WhatCanNotBeStarted) {
  EXPECT_EQ(Program::open({.path = "/nowhere/at/all"}).error().parameter, "program");
  EXPECT_EQ(Program::open({.path = folder_}).error().parameter, "program");
  const std::string plain = folder_ / "plain";
  std::ofstream(plain) << "echo red\n";
  fs::permissions(plain, fs::perms::owner_read);
  EXPECT_NE(Program::open({.path = plain}).error().text().find("chmod +x"), std::string::npos);
  const auto no_interpreter = Program::open({.path = script("", "#!/no/such/interpreter")});
  ASSERT_FALSE(no_interpreter.has_value());
  EXPECT_NE(no_interpreter.error().text().find("could not be started"), std::string::npos);
  EXPECT_TRUE(Program::open({.path = "cat"}).has_value());
}

class Open : private mechanism::Door {
 public:
  static const mechanism::Value& of(const mechanism::Exact<mechanism::Value>& exact) {
    return open(exact);
  }
};

TEST_F(Programs, EveryBlockHasItsAnswer) {
  const auto program =
      Program::open({.path = script("tail -n +2 | cut -d, -f2"), .header = "id,x\n"});
  const std::vector<std::string> blocks{"1,20\n", "", "2,30.5\n", "3,many\n"};
  int done = 0;
  const auto numbers = block_answers(
      *program, blocks, {.otherwise = "-1", .numbers = true, .jobs = 3, .done = [&] { ++done; }});
  EXPECT_EQ(Open::of(*numbers), mechanism::Value(mechanism::Numbers{20, -1, Rational(61, 2), -1}));
  EXPECT_EQ(done, 4);
  const auto words = block_answers(*program, blocks, {.otherwise = "none"});
  EXPECT_EQ(Open::of(*words),
            mechanism::Value(mechanism::Labels{{0, "20"}, {1, "none"}, {2, "30.5"}, {3, "many"}}));
  EXPECT_FALSE(block_answers(*program, blocks, {.otherwise = "none", .numbers = true}).has_value());
}

TEST_F(Programs, BlocksCanAllTakeTheSameTime) {
  const auto program =
      Program::open({.path = script("echo red"), .header = "", .limits = {.seconds = 0.5}});
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(
      block_answers(*program, {"", "", ""}, {.otherwise = "", .jobs = 1, .slot = 0.5}).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1500));
}

TEST_F(Programs, CanBeStopped) {
  std::atomic<bool> stop{false};
  const auto program = Program::open({.path = script("sleep 60"), .header = "", .stop = &stop});
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto answers = block_answers(*program, {"", ""}, {.otherwise = "", .stop = &stop});
  other.join();
  ASSERT_FALSE(answers.has_value());
  EXPECT_EQ(answers.error().code, Code::kInterrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace discreet::engine::sample
