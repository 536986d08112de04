// Models and checkpoints as bytes: what is written reads back, and no other bytes do harm.
#include "discreet/learn/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "discreet/base/digest.h"
#include "discreet/learn/checkpoint.h"
#include "discreet/learn/testing/plain.h"
#include "discreet/learn/workers.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

Model make() {
  random::testing::Seeded source(1);
  Model model;
  model.encoding.features = {{"age", 0, 100, {}}, {"ward", 0, 1, {"A", "B"}}};
  model.encoding.shape = {1, 1, 3};
  model.encoding.label = {"ill", 0, 1, {"no", "yes", "maybe"}};
  model.classes = 3;
  model.shape = {1, 1, 3};
  const Network network = *make_network("mlp:5", model.shape, model.classes, {});
  model.network = network.name();
  model.weights.resize(network.weights());
  EXPECT_TRUE(network.initialise(source, model.weights));
  model.promise = {
      1.5, Rational(1, 100000), {"poisson(0.01, gaussian(sigma=1.1))*100"}, "add-remove", 1000,
      100};
  return model;
}

TEST(Model, ReadsBackAsItself) {
  const Model model = make();
  const std::string bytes = write_model(model);
  const auto back = read_model("m", bytes);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(write_model(*back), bytes);
  EXPECT_EQ(back->weights, model.weights);
  EXPECT_EQ(back->promise.delta, model.promise.delta);
}

TEST(Model, DamageIsNoticed) {
  const std::string bytes = write_model(make());
  for (std::size_t n = 0; n < bytes.size(); n += 7)
    EXPECT_FALSE(read_model("m", std::string_view(bytes).substr(0, n)));
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 4);
    EXPECT_FALSE(read_model("m", other)) << at;
  }
}

// With a digest that fits, whoever wrote it: headers that don't make sense are refused all the
// same.
TEST(Model, HeadersOfStrangersAreRefused) {
  const std::string bytes = write_model(make());
  const std::string body = bytes.substr(0, bytes.size() - 64);
  const std::pair<const char*, const char*> lies[] = {
      {"\"weights\":38", "\"weights\":39"},
      {"\"weights\":38", "\"weights\":-1"},
      {"\"weights\":38", "\"weights\":1e99"},
      {"\"classes\":3", "\"classes\":4"},
      {"\"classes\":3", "\"classes\":1"},
      {"\"width\":3", "\"width\":4294967296"},
      {"\"width\":3", "\"width\":0"},
      {"linear:5", "linear:500000"},
      {"linear:5", "batchnorm"},
      {"\"delta\":\"0.00001\"", "\"delta\":\"nan\""},
      {"\"epsilon\":1.5", "\"epsilon\":\"1.5\""},
      {"\"events\":[", "\"events\":[3,"},
      {"\"maybe\"", "7"},
  };
  for (const auto& [from, to] : lies) {
    std::string other = body;
    const std::size_t at = other.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    other.replace(at, std::string(from).size(), to);
    other += hex(sha256(other));
    EXPECT_FALSE(read_model("m", other)) << to;
  }
  std::string infinite = body;
  const float inf = INFINITY;
  std::memcpy(infinite.data() + infinite.size() - 4, &inf, 4);
  infinite += hex(sha256(infinite));
  EXPECT_FALSE(read_model("m", infinite));
}

TEST(Model, PredictsInTheLabelsOwnUnits) {
  Model model;
  model.encoding.features = {{"x", 0, 1, {}}};
  model.encoding.shape = model.shape = {1, 1, 1};
  model.encoding.label = {"cost", 100, 300, {}};
  model.network = "linear";
  model.weights = {0.5F, 0.25F};  // ½x + ¼
  const Examples two{.shape = {1, 1, 1}, .count = 2, .x = {1, -1}, .y = {0.75F, 0.25F}};
  const auto predicted = *predict_all(model, two);
  EXPECT_NEAR(predicted[0][0], 275, 1e-4);
  EXPECT_NEAR(predicted[1][0], 175, 1e-4);
  EXPECT_NEAR((*score_all(model, two))[1].loss, 0.125, 1e-6);
}

// Memory that isn't there is an exception of the caller's, whichever thread wanted it.
TEST(Workers, WhatOneThrowsReachesTheCaller) {
  Workers workers(3);
  for (const std::size_t bad : {0U, 1U, 2U})
    EXPECT_THROW(workers.run([bad](std::size_t worker) {
      if (worker == bad) throw std::bad_alloc();
    }),
                 std::bad_alloc);
  std::atomic<int> done = 0;
  workers.run([&](std::size_t) { ++done; });  // and they go on
  EXPECT_EQ(done, 3);
}

// A few weights can ask for any amount of memory: more than 2^24 numbers under the windows of one
// example are refused, whoever wrote the model.
TEST(Model, AFewWeightsDontAskForAllTheMemory) {
  const Shape point{1, 1, 1};
  EXPECT_FALSE(make_network("layers:conv:1:2000:100:1999", point, 2, {}));
  EXPECT_TRUE(make_network("layers:conv:1:20:1:19", point, 2, {}));
}

struct Folder {
  Folder() {
    char name[] = "checkpoint-XXXXXX";
    path = std::filesystem::temp_directory_path() / name;
    std::string text = path.string();
    path = mkdtemp(text.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

Checkpoint checkpoint(std::uint64_t begun) {
  Checkpoint out;
  out.run = "run";
  out.id = "id";
  out.begun = begun;
  out.steps = 500;
  out.model = make();
  out.model.weights.clear();
  out.state = {1, 2, static_cast<float>(begun)};
  out.told = {{0.5, 0.25}};
  return out;
}

// A killed process: what was kept after the last step is found, with the lot under way counted.
TEST(Checkpoints, AKilledRunLosesALotAndNoAccounting) {
  const Folder folder;
  const std::string file = folder.path / "c";
  {
    Checkpoints files(file, "boot 1");
    ASSERT_TRUE(files.begin(checkpoint(0)));
    for (std::uint64_t done = 1; done <= 25; ++done) {
      // What is on the disk must never count fewer steps than were begun.
      ASSERT_TRUE(files.keep(checkpoint(done + 1)));
      const auto synced = read_checkpoint(
          file, *[&] {
            std::ifstream in(file, std::ios::binary);
            return std::make_shared<std::string>(std::istreambuf_iterator<char>(in),
                                                 std::istreambuf_iterator<char>());
          }());
      ASSERT_GE(synced->checkpoint.begun, done + 1);
    }
  }
  const auto found = *Checkpoints(file, "boot 1").find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begun, 26U);
  EXPECT_EQ(found->state[2], 26.0F);
  EXPECT_EQ(found->told.size(), 1U);
}

// Killed before anything is kept, at its start and after each of several resumes: the lot that may
// have been drawn counts every time, and one is all that is lost.
TEST(Checkpoints, EveryStartCountsItsFirstLot) {
  const Folder folder;
  const std::string file = folder.path / "c";
  ASSERT_TRUE(Checkpoints(file, "boot 1").begin(checkpoint(0)));
  for (std::uint64_t lots = 1; lots < 6; ++lots) {
    Checkpoints files(file, "boot 1");
    const auto found = *files.find();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->begun, lots);
    ASSERT_EQ(found->state[2], 0.0F);
    ASSERT_TRUE(files.begin(*found));
  }
  // The last lot of all counts once.
  Checkpoint end = checkpoint(500);
  ASSERT_TRUE(Checkpoints(file, "boot 1").begin(end));
  EXPECT_EQ((*Checkpoints(file, "boot 1").find())->begun, 500U);
}

// Killed in the middle of writing the newest state: the one before is whole.
TEST(Checkpoints, AStateThatIsHalfWrittenIsNone) {
  const Folder folder;
  const std::string file = folder.path / "latest";
  LatestFile latest(file);
  const std::vector<Told> told = {{1, 2}, {3, 4}, {5, 6}};
  std::vector<float> state = {1, 10, 100, 1000, 10000};
  ASSERT_TRUE(latest.create("id", "boot", {1, state, {}}));
  const auto whole = [&] {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  };
  state[0] = 2;
  ASSERT_TRUE(latest.keep({2, state, std::span(told).first(1)}));
  const std::string before = whole();
  state[0] = 3;
  ASSERT_TRUE(latest.keep({3, state, std::span(told).first(2)}));
  const std::string after = whole();
  const auto found = *LatestFile::find(file);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begun, 3U);
  EXPECT_EQ(found->state, state);
  EXPECT_EQ(found->told, (std::vector<Told>{{1, 2}, {3, 4}}));
  std::size_t torn = 0;
  for (std::size_t n = 0; n < after.size(); ++n) {
    std::string some = before;
    some.resize(after.size());
    // Numbers come before the head that makes them count, so what is written is any part of them.
    if (after[n] == some[n]) continue;
    some[n] = after[n];
    std::ofstream(file, std::ios::binary | std::ios::trunc) << some;
    const auto part = *LatestFile::find(file);
    ASSERT_TRUE(part);
    ASSERT_EQ(part->begun, 2U) << n;
    ASSERT_EQ(part->state[0], 2.0F);
    ++torn;
  }
  EXPECT_GT(torn, 8U);
  // Whatever else the file is, it is nothing.
  for (std::size_t n = 0; n < after.size(); n += 5) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << after.substr(0, n);
    const auto part = LatestFile::find(file);
    ASSERT_TRUE(part);
    if (*part) {
      EXPECT_LE((*part)->begun, 3U);
    }
  }
  state.push_back(1);
  EXPECT_FALSE(latest.keep({4, state, told}));  // of another size
}

// Two that go on with the same state would be two answers for one price.
TEST(Checkpoints, OneTrainingAtATime) {
  const Folder folder;
  const std::string file = folder.path / "c";
  {
    Checkpoints one(file, "boot");
    ASSERT_TRUE(one.lock());
    ASSERT_TRUE(one.lock());  // still ours
    Checkpoints other(file, "boot");
    EXPECT_FALSE(other.lock());
    EXPECT_TRUE(Checkpoints(folder.path / "elsewhere", "boot").lock());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
  Checkpoints next(file, "boot");
  EXPECT_TRUE(next.lock());
}

// After a power cut only what was synced is believed, and it counts more steps than were made.
TEST(Checkpoints, APowerCutLosesStepsButNoAccounting) {
  const Folder folder;
  const std::string file = folder.path / "c";
  Checkpoints files(file, "boot 1");
  ASSERT_TRUE(files.begin(checkpoint(0)));
  for (std::uint64_t done = 1; done <= 25; ++done) ASSERT_TRUE(files.keep(checkpoint(done + 1)));
  for (const auto& damage : {0, 1, 2}) {
    if (damage == 1) std::filesystem::resize_file(file + ".latest", 100);
    if (damage == 2) std::filesystem::remove(file + ".latest");
    const auto found = *Checkpoints(file, damage == 0 ? "boot 2" : "boot 1").find();
    ASSERT_TRUE(found);
    EXPECT_GE(found->begun, 26U) << damage;
  }
}

// The latest of another run in the same place isn't this one's.
TEST(Checkpoints, AnotherRunsLatestIsLeftAlone) {
  const Folder folder;
  const std::string file = folder.path / "c";
  Checkpoints old(file, "boot");
  ASSERT_TRUE(old.begin(checkpoint(0)));
  ASSERT_TRUE(old.keep(checkpoint(3)));
  Checkpoint fresh = checkpoint(0);
  fresh.id = "another";
  const std::string elsewhere = folder.path / "other";
  ASSERT_TRUE(Checkpoints(elsewhere, "boot").begin(fresh));
  std::filesystem::rename(elsewhere, file);  // FILE of one run beside .latest of another
  EXPECT_EQ((*Checkpoints(file, "boot").find())->id, "another");
  EXPECT_EQ((*Checkpoints(file, "boot").find())->begun, 11U);  // FILE's own, ahead
  Checkpoints files(file, "boot");
  ASSERT_TRUE(files.begin(fresh));
  EXPECT_EQ((*Checkpoints(file, "boot").find())->id, "another");
  ASSERT_TRUE(files.stop(fresh));
  EXPECT_EQ((*Checkpoints(file, "boot").find())->begun,
            0U);  // an orderly stop counts nothing ahead
  files.remove();
  EXPECT_FALSE(*Checkpoints(file, "boot").find());
}

// Whoever pays is told of every FILE before it is there; where that fails, FILE stays as it was.
TEST(Checkpoints, AFileIsRecordedBeforeItTakesItsPlace) {
  const Folder folder;
  const std::string file = folder.path / "c";
  const auto digest = [&] {
    const auto found = *Checkpoints(file, "boot").find();
    return found ? found->digest : std::string();
  };
  std::vector<Checkpoint::Mark> marks;
  std::string there;  // when the last mark was told
  bool refuse = false;
  Checkpoints files(file, "boot");
  files.record_with([&](const Checkpoint::Mark& mark) -> Status {
    marks.push_back(mark);
    there = digest();
    if (refuse) return fail(Code::kRefused, "another goes on with it");
    return {};
  });
  ASSERT_TRUE(files.begin(checkpoint(0)));
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(there, "");
  EXPECT_EQ(digest(), marks[0].digest);
  EXPECT_EQ(marks[0].begun, 11U);
  // No step is counted that wasn't told of first.
  for (std::uint64_t done = 1; done <= 60; ++done) {
    ASSERT_TRUE(files.keep(checkpoint(done + 1)));
    ASSERT_GE(marks.back().begun, done + 1);
    ASSERT_FALSE(marks.back().stopped);
    ASSERT_EQ(digest(), marks.back().digest);
  }
  ASSERT_GT(marks.size(), 2U);
  EXPECT_EQ(there, marks[marks.size() - 2].digest);
  EXPECT_NE(marks[1].digest, marks[2].digest);
  ASSERT_TRUE(files.stop(checkpoint(60)));
  EXPECT_TRUE(marks.back().stopped);
  EXPECT_EQ(marks.back().begun, 60U);
  EXPECT_EQ(digest(), marks.back().digest);
  const std::string before = digest();
  refuse = true;
  EXPECT_FALSE(files.begin(checkpoint(60)));
  EXPECT_FALSE(files.stop(checkpoint(70)));
  EXPECT_EQ(digest(), before);
}

TEST(Checkpoints, DamageIsNoticed) {
  const std::string bytes = write_checkpoint(checkpoint(3), "boot");
  const auto read = read_checkpoint("c", bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(write_checkpoint(read->checkpoint, read->boot), bytes);  // reads back as itself
  EXPECT_EQ(read->checkpoint.told, checkpoint(3).told);
  EXPECT_EQ(read->checkpoint.state, checkpoint(3).state);
  for (std::size_t n = 0; n < bytes.size(); n += 11)
    EXPECT_FALSE(read_checkpoint("c", std::string_view(bytes).substr(0, n)));
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 4);
    EXPECT_FALSE(read_checkpoint("c", other)) << at;
  }
  // A digest that fits, and a model with weights, whose place isn't there.
  Checkpoint heavy = checkpoint(3);
  heavy.model = make();
  EXPECT_FALSE(read_checkpoint("c", write_checkpoint(heavy, "boot")));
}

}  // namespace
}  // namespace discreet::learn
